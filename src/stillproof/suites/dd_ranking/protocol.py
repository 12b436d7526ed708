"""How suite dd-ranking asks: correctly, or as DD-Ranking does."""

from __future__ import annotations

from typing import ClassVar, Literal

from stillproof.core.components import recipes
from stillproof.core.protocol import Protocol, protocol_meant
from stillproof.core.reference import changed_reference, parse_reference
from stillproof.core.types import Selection
from stillproof.suites.dd_ranking.settings import Setting, fair_setting, faithful_setting

REAL_BATCH = 256  # of all real images, in the configurations for CIFAR
ProtocolName = Literal["fair", "faithful", "faithful:dd-ranking"]


class DDRankingAsks(Protocol):
    """What is correct: the first seed chooses a learning rate for all, by held-out images."""

    selection: ClassVar[Selection] = "last"
    chooses_heldout: ClassVar[bool] = True
    taught_sets_are_searched: ClassVar[bool] = True  # whether sets with a teacher's labels are tried at several rates

    def setting(self, method: str, ipc: int, dataset: str, recipe: str, taught_epochs: int) -> Setting:
        """Return how sets of a method are trained on."""
        return fair_setting(method, ipc, dataset, recipe, taught_epochs)

    def real_recipe(self, full_recipe: str, setting: Setting) -> str:
        """Return how all real images are trained on, beside sets of a setting."""
        return full_recipe

    def made_as(self, method: str) -> str:
        """Return the method as its sets are made."""
        return method


class AsDDRanking(DDRankingAsks):
    """What section 4.1 of the paper says: test images choose, for each seed, and soft labels keep their own rate."""

    origin = "dd-ranking"
    plain = True
    selection = "oracle"
    chooses_heldout = False
    taught_sets_are_searched = False

    def setting(self, method: str, ipc: int, dataset: str, recipe: str, taught_epochs: int) -> Setting:
        """Return the setting that the original states."""
        return faithful_setting(method, ipc, dataset, recipe, taught_epochs)

    def real_recipe(self, full_recipe: str, setting: Setting) -> str:
        """Return the recipe with the method's augmentation, and the original's batch where it is the original's."""
        name, given = parse_reference(full_recipe)
        batch = {"batch": REAL_BATCH} if name == "real" and "batch" not in given else {}
        return changed_reference(full_recipe, augment=recipes.build(setting.hard_recipe).augment, **batch)

    def made_as(self, method: str) -> str:
        """Return DataDAM without whitening, as Table 1 of the paper says, and others as they are."""
        name, given = parse_reference(method)
        return changed_reference(method, zca=False) if name == "datadam" and "zca" not in given else method


PROTOCOLS = (DDRankingAsks(), AsDDRanking())


def dd_ranking_asks(name: str) -> DDRankingAsks:
    """Return the ways that a name means."""
    return protocol_meant(name, PROTOCOLS)
