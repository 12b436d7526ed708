"""How each method's sets are trained on: one recipe for methods of hard labels, their own for those with teachers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stillproof.core.components import augmentations, datasets, distillers, recipes
from stillproof.core.reference import changed_reference, parse_reference, write_nested
from stillproof.core.taught_settings import METHODS, Source, taught_setting
from stillproof.core.types import DataInfo
from stillproof.suites.augmentation_variants import variant_on
from stillproof.suites.fixed_set import fixed_set

LabelKind = Literal["hard", "taught", "unknown"]
MIXING = ("cutmix", "cutmix-per-batch", "mixup", "mixup-per-batch")  # augmentations that do nothing else
RECORDED_UNDER = "rded-aug(min_scale=0.08)"  # SRe2L's crops, flips and mixes
TESTED_EVERY = 10  # epochs, where the original keeps the best
TAUGHT_TESTS = 20  # points of those who have a teacher, with hard labels too


@dataclass(frozen=True)
class Setting:
    """How one method's sets are trained on.

    Args:
        recipe: With its own labels.
        hard_recipe: With hard labels: the same optimiser, epochs and changes of single images, but nothing is mixed.
        labels: What labels its sets have, as far as that is known before they are made.
        network: The network, if it is not the suite's.
    """

    recipe: str
    hard_recipe: str
    labels: LabelKind
    network: str = ""


def fair_setting(method: str, ipc: int, dataset: str, recipe: str, taught_epochs: int) -> Setting:
    """Return the setting of a method.

    Args:
        method: The method, or an existing set.
        ipc: Images per class.
        dataset: The data set.
        recipe: How sets with hard labels are trained on.
        taught_epochs: Epochs under a teacher; 0 for those of the recipe.
    """
    there = fixed_set(method)
    if there:
        own = there.recipe or recipe
        return Setting(own, with_hard_labels(own, dataset), "unknown")
    name, _ = parse_reference(method)
    if name in METHODS:
        return _taught("authors", method, ipc, dataset, taught_epochs)
    return Setting(recipe, recipe, "hard" if distillers.entry(name).origin == "stillproof" else "unknown")


def _taught(source: Source, method: str, ipc: int, dataset: str, taught_epochs: int) -> Setting:
    """Return the setting of a method with a teacher; under its authors' all networks are asked alike."""
    name, given = parse_reference(method)
    patches = int(given["factor"]) if "factor" in given else None
    recipe, network = taught_setting(source, name, dataset, ipc, class_count(dataset), patches)
    if taught_epochs:
        cold = {"warmup": 0} if recipes.build(recipe).warmup else {}
        recipe = changed_reference(recipe, epochs=taught_epochs, **cold)
    return Setting(recipe, with_hard_labels(recipe, dataset), "taught", network)


def class_count(dataset: str) -> int | None:
    """Return the number of classes; nothing where a user's own pictures would have to be read to count them."""
    name = dataset.partition(":")[0]
    info = getattr(datasets.get(name), "info", None) if name in datasets.entries() else None
    return info.num_classes if isinstance(info, DataInfo) else None


def with_hard_labels(recipe: str, dataset: str) -> str:
    """Return a recipe as it is for hard labels, which have no use for mixed images: all else stays.

    Recorded labels have the changes of single images in the recording, so that hard ones get those that it was made
    with.
    """
    name, given = parse_reference(recipe)
    own = recipes.get(name)
    augment: str = given.get("augment") or own.by_dataset.get(dataset, {}).get("augment") or own.augment
    kind, params = parse_reference(RECORDED_UNDER if name == "fkd" and augment == "none" else augment)
    if kind in MIXING:
        augment = "none"
    elif kind != "none" and "mixed" in augmentations.entry(kind).params:
        augment = write_nested(kind, {**params, "mixed": False})
    return changed_reference(recipe, objective="cross-entropy", augment=augment)


def faithful_setting(method: str, ipc: int, dataset: str, recipe: str, taught_epochs: int) -> Setting:
    """Return the setting that DD-Ranking's configurations state.

    The original tests every 10 epochs (methods with a teacher, 20 times) and keeps the best. Its test images for RDED
    are first enlarged and then cropped, which is not done here. DC is trained on without augmentation. That its DSA
    aligns the corners of images changes nothing about square ones, which are scaled and turned about their centre.
    """
    usual = fair_setting(method, ipc, dataset, recipe, taught_epochs)
    name, _ = parse_reference(method)
    if name in METHODS:
        usual = _taught("dd-ranking", method, ipc, dataset, taught_epochs)
    elif usual.labels == "hard":
        augment = "none" if name == "dc" else variant_on("dsa", dataset)
        plain = changed_reference(recipe, augment=augment)
        usual = Setting(plain, plain, "hard")
    own, hard = (tested_as_there(one, usual.labels) for one in (usual.recipe, usual.hard_recipe))
    return Setting(own, hard, usual.labels, usual.network)


def tested_as_there(recipe: str, labels: LabelKind) -> str:
    """Return a recipe with a point of the curve wherever the original looks at the test images."""
    epochs: int = recipes.build(recipe).epochs
    points = min(epochs, TAUGHT_TESTS) if labels == "taught" else max(1, epochs // TESTED_EVERY)
    return changed_reference(recipe, curve_points=points)
