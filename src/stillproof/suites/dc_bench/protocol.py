"""How suite dc-bench asks: correctly, or as DC-Bench does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from stillproof.core.protocol import protocol_meant
from stillproof.core.reference import changed_reference
from stillproof.suites.dc_bench.published_values import PER_BATCH
from stillproof.suites.requests import Heldout, Part
from stillproof.suites.row_builder import SuiteProtocol

ProtocolName = Literal["fair", "faithful", "faithful:dc-bench"]
ALIKE = ("none", "dsa")  # are drawn alike under both protocols


@dataclass(frozen=True)
class Searched:
    """How an architecture of a search is trained and evaluated.

    Args:
        network: The network.
        recipe: How it is trained.
        part: The real images that its set is made from, or that it is trained on if there is no set.
        heldout: The real images that it is evaluated on.
    """

    network: str
    recipe: str
    part: Part
    heldout: Heldout


class DCBenchAsks(SuiteProtocol):
    """What is correct."""

    chooses_heldout: ClassVar[bool] = True  # whether the best augmentation is chosen by held-out images
    averages_published: ClassVar[bool] = False  # whether averages are over only those augmentations that it published

    def augmentation(self, name: str) -> str:
        """Return the form of an augmentation that is trained with."""
        return name

    def searched(self, space: str, architecture: str, recipe: str, *, distilled: bool) -> Searched:
        """Return how an architecture is trained, and evaluated on images that its set was not made from.

        Args:
            space: Where it is searched.
            architecture: It.
            recipe: How the suite trains it.
            distilled: Whether on a distilled set, or on all real images.
        """
        return Searched(architecture, recipe, "fit", "heldout")


class AsDCBench(DCBenchAsks):
    """What the original's code does."""

    origin = "dc-bench"
    plain = True
    own_sets = False
    chooses_heldout = False  # but by the test images
    averages_published = True

    def augmentation(self, name: str) -> str:
        """Return the form that is drawn once for a whole batch."""
        return name if name in ALIKE else name + PER_BATCH

    def searched(self, space: str, architecture: str, recipe: str, *, distilled: bool) -> Searched:
        """Return the training of the original's script.

        It trains the mixture of operations, without weights in its norms, shows images of a set in the same order in
        every pass, and looks at images that the set may have been made from.
        """
        network = f"{architecture}:affine=false:mixture=true" if space == "nas201" else architecture
        if not distilled:
            return Searched(network, recipe, "search-fit", "search-heldout")
        return Searched(network, changed_reference(recipe, shuffle="false"), "train", "search-heldout")


PROTOCOLS = (DCBenchAsks(), AsDCBench())


def dc_bench_asks(name: str) -> DCBenchAsks:
    """Return the ways that a name means."""
    return protocol_meant(name, PROTOCOLS)
