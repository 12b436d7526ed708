"""How suite dd-ranking asks: correctly, or as DD-Ranking does."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from stillproof.core.components import recipes
from stillproof.core.imagenet_sets import IMAGENET
from stillproof.core.protocol import protocol_meant
from stillproof.core.reference import changed_reference, parse_reference
from stillproof.core.types import Selection
from stillproof.suites.dd_ranking.settings import Setting, fair_setting, faithful_setting, tested_as_there
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.row_builder import SuiteProtocol

# How all real images are trained on, by data set and network, where that is not as on CIFAR (recipe ``real``). The
# original makes as many epochs as for the method's set, and drops the step size every so many of them (after 100 on
# CIFAR): the later ones hardly move a weight, and are left out, so that these are the epochs of its own table.
REAL_BATCH = 256  # in the configurations and demonstrations for hard labels
REAL_ON_TINY = {"epochs": 100, "decay_epochs": 50}
REAL_ADAMW = {"optimiser": "adamw", "lr": 0.01, "weight_decay": 0.01, "schedule": "cosine-to-half", "epochs": 100}
REAL_ON_IMAGENET = {"lr": 0.1, "weight_decay": 1e-4, "epochs": 90, "decay_epochs": "30,60"}
NOT_WHITENED = ("mtt", "datadam")  # which their authors whiten, at some sizes
ProtocolName = Literal["fair", "faithful", "faithful:dd-ranking"]


class DDRankingAsks(SuiteProtocol):
    """What is correct: the first seed chooses a learning rate for all, by held-out images."""

    selection: ClassVar[Selection] = "last"
    chooses_heldout: ClassVar[bool] = True
    taught_sets_are_searched: ClassVar[bool] = True  # whether sets with a teacher's labels are tried at several rates
    is_published: ClassVar[bool] = False  # whether the numbers that DD-Ranking published were made so

    def setting(self, method: str, ipc: int, dataset: str, recipe: str, taught_epochs: int) -> Setting:
        """Return how sets of a method are trained on."""
        return fair_setting(method, ipc, dataset, recipe, taught_epochs)

    def real_recipe(self, full_recipe: str, setting: Setting, dataset: str, network: str) -> str:
        """Return how a network is trained on all real images of a data set, beside sets of a setting."""
        return full_recipe

    def made_as(self, method: str) -> str:
        """Return the method as its sets are made."""
        return method

    def whitens_real(self, method: str) -> bool:
        """Say whether all real images are whitened beside sets of a method."""
        return False


class AsDDRanking(DDRankingAsks):
    """What section 4.1 of the paper says: test images choose, for each seed, and soft labels keep their own rate."""

    origin = "dd-ranking"
    plain = True
    own_sets = False
    selection = "oracle"
    chooses_heldout = False
    taught_sets_are_searched = False
    is_published = True

    def setting(self, method: str, ipc: int, dataset: str, recipe: str, taught_epochs: int) -> Setting:
        """Return the setting that the original states."""
        return faithful_setting(method, ipc, dataset, recipe, taught_epochs)

    def real_recipe(self, full_recipe: str, setting: Setting, dataset: str, network: str) -> str:
        """Return the recipe with the method's augmentation, tested as often as sets are.

        Where it is the original's, it is that of the data set and the network.
        """
        name, given = parse_reference(full_recipe)
        theirs = real_params(dataset, network) if name == "real" else {}
        own = {key: value for key, value in theirs.items() if key not in given}
        augmented = changed_reference(full_recipe, augment=recipes.build(setting.hard_recipe).augment, **own)
        return tested_as_there(augmented, "hard")

    def made_as(self, method: str) -> str:
        """Return MTT without whitening, as the configurations say, DataDAM as Table 1 does, and others as they are."""
        name, given = parse_reference(method)
        return changed_reference(method, zca=False) if name in NOT_WHITENED and "zca" not in given else method

    def whitens_real(self, method: str) -> bool:
        """Say whether sets of a method are whitened: then all real images are so, too."""
        there = fixed_set(method)
        if there is not None:
            return there.space.startswith("zca")
        return parse_reference(method)[1].get("zca", "").lower() == "true"


def real_params(dataset: str, network: str) -> dict[str, Any]:
    """Return what the original changes of recipe ``real``, by data set and network."""
    own: dict[str, Any] = {}
    if dataset == "tiny_imagenet":
        own = REAL_ADAMW if network.startswith("resnet-18") else REAL_ON_TINY
    elif dataset in IMAGENET:
        own = REAL_ON_IMAGENET
    return {"batch": REAL_BATCH, **own}


PROTOCOLS = (DDRankingAsks(), AsDDRanking())


def dd_ranking_asks(name: str) -> DDRankingAsks:
    """Return the ways that a name means."""
    return protocol_meant(name, PROTOCOLS)
