"""How sets of methods with a teacher are trained on, by method, data set and size: one table for all who ask.

Distillers write it on the cards of their sets, and suites train by it: as the method's authors do, or as DD-Ranking's
configurations say (its branch ``eval``; what those leave out is the recipe's own), or Table 1 of its paper, where there
are none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from stillproof.core.dsa_strategy import DIGIT_SETS
from stillproof.core.imagenet_sets import IMAGENET, SUBSETS
from stillproof.core.reference import write_nested, write_reference

Source = Literal["authors", "dd-ranking"]
METHODS = ("rded", "sre2l")
SIZES = (50, 10)  # images per class from which the later values of a row hold; 1 has the first ones
MANY = 100  # classes from which RDED's batches are twice as large
Sized = int | tuple[int, int, int]  # one value, or those for 1, 10 and 50 images per class


@dataclass(frozen=True, slots=True)
class TaughtRow:
    """One row of the table.

    Args:
        recipe: Name of the recipe.
        batch: Images per step.
        params: Other parameters of the recipe that are not its own.
        augment: Name of its augmentation, if parameters of that are others; with its own name, digits are not mirrored.
        changes: Those parameters.
        networks: The network, if it is the source's and not the asker's, at 1, 10 and 50 images per class.
    """

    recipe: str
    batch: Sized = 0
    params: Mapping[str, Any] = field(default_factory=dict)
    augment: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    networks: tuple[str, str, str] = ("", "", "")


HOME_BN, CONVNET_4 = "home-bn", "convnet-4-bn"
RESNET, LARGE_RESNET = "resnet-18-bn", "resnet-18-bn-imagenet"
CROPS = {"min_scale": 0.08}
ALL_DECAY = {"decay_vectors": True}  # DD-Ranking's optimisers do not exempt biases and norms
OTHERS = ""  # all data sets that have no row of their own

_RDED = {
    OTHERS: TaughtRow("rded", (10, 50, 100), augment="rded-aug"),
    "cifar100": TaughtRow("rded", 25, {"lr": 0.002}, "rded-aug"),  # theirs for ConvNet-3
    "tiny_imagenet": TaughtRow("rded", 100, augment="rded-aug"),
    **{name: TaughtRow("rded", (10, 50, 100), augment="rded-aug", changes={"factor": 2}) for name in SUBSETS},
    "imagenet": TaughtRow("rded", (20, 100, 200), augment="rded-aug", changes={"factor": 2}),
}
_SRE2L = {
    OTHERS: TaughtRow("sre2l", augment="sre2l-aug"),
    "tiny_imagenet": TaughtRow("sre2l-tiny"),
    **{name: TaughtRow("fkd", augment="rded-aug", changes=CROPS) for name in IMAGENET},  # theirs are recorded
}
_RDED_THERE = {
    OTHERS: TaughtRow("rded", (10, 50, 100), ALL_DECAY, "rded-aug", networks=(HOME_BN,) * 3),
    "cifar100": TaughtRow("rded", (20, 50, 200), ALL_DECAY, "rded-aug", networks=(HOME_BN, HOME_BN, CONVNET_4)),
    "tiny_imagenet": TaughtRow("rded", (100, 100, 200), ALL_DECAY, "rded-aug", networks=(HOME_BN,) * 3),
    # Whole images, whose single patch is shuffled; Table 1 says batch 100, boxes from half of the image, and shuffling.
    "imagenet": TaughtRow("rded", (20, 100, 200), ALL_DECAY, "rded-aug", networks=(LARGE_RESNET,) * 3),
    # No configuration, so that Table 1 stands in.
    **{name: TaughtRow("rded", 100, ALL_DECAY, "rded-aug", {"factor": 2}, (LARGE_RESNET,) * 3) for name in SUBSETS},
}
_SRE2L_THERE = {
    OTHERS: TaughtRow("sre2l", 256, {"schedule": "cosine-to-half"}, "sre2l-aug", networks=(RESNET,) * 3),
    "tiny_imagenet": TaughtRow("rded", 1024, {"epochs": 400, **ALL_DECAY}, "rded-aug", CROPS, (RESNET,) * 3),
    # The configuration of ImageNet, and of its subsets Table 1, which says the same.
    **{name: TaughtRow("rded", 1024, ALL_DECAY, "rded-aug", CROPS, (LARGE_RESNET,) * 3) for name in IMAGENET},
}
TABLE: Mapping[tuple[Source, str], Mapping[str, TaughtRow]] = {
    ("authors", "rded"): _RDED,
    ("authors", "sre2l"): _SRE2L,
    ("dd-ranking", "rded"): _RDED_THERE,
    ("dd-ranking", "sre2l"): _SRE2L_THERE,
}


def taught_setting(
    source: Source, method: str, dataset: str, ipc: int, classes: int | None = None, factor: int | None = None
) -> tuple[str, str]:
    """Return the recipe of a method's sets, and the network that the source trains, if it names one.

    Args:
        source: Whose.
        method: The method.
        dataset: Name of the data set.
        ipc: Images per class; between the published sizes, the next smaller one's values hold.
        classes: How many the data set has, if that is known.
        factor: Patches along each side of an image, where a set was made with other than the published ones; authors
            shuffle those.
    """
    rows = TABLE[source, method]
    row = rows.get(dataset, rows[OTHERS])
    place = next((2 - number for number, size in enumerate(SIZES) if ipc >= size), 0)
    params = dict(row.params)
    if row.batch:
        batch = row.batch if isinstance(row.batch, int) else row.batch[place]
        if source == "authors" and classes:
            batch = min(batch * (2 if dataset not in rows and classes >= MANY else 1), ipc * classes)
        params = {"batch": batch, **params}
    changes = {**row.changes, **({"factor": factor} if factor and source == "authors" else {})}
    changes = {key: value for key, value in changes.items() if (key, value) != ("factor", 1)}
    changes |= {"flip": False} if row.augment and dataset in DIGIT_SETS else {}
    augment = {"augment": write_nested(row.augment, changes)} if changes else {}
    return write_reference(row.recipe, {**params, **augment}), row.networks[place]
