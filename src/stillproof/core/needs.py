"""What a distiller needs besides the real images, declared in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput

if TYPE_CHECKING:
    from stillproof.core.types import Distiller


@dataclass(frozen=True, slots=True)
class TrainedBefore:
    """Networks that must have been trained on the real images before.

    Args:
        count: How many.
        recipe: How they are trained.
        network: Which network; without a name, the one that the method distils with.
        by_seed: Whether sets of each seed have networks of their own; otherwise all sets share the same ones.
    """

    count: int
    recipe: str
    network: str = ""
    by_seed: bool = False

    def seeds(self, seed: int) -> range:
        """Return the seeds of the networks for a set of one seed."""
        first = seed * self.count if self.by_seed else 0
        return range(first, first + self.count)


@dataclass(frozen=True, slots=True)
class Needs:
    """A distiller's needs, as its attribute or property ``needs``; the defaults hold for a distiller without it.

    Args:
        network: Whether it calls ``ctx.make_network``; if not, its sets are the same for every network.
        whitening: Whose whitening it works under (``usual``, ``kip`` or ``normalised``); empty for normalised images.
        normalised_as: The data set whose mean and std normalise images, if it is not the one that they are from.
        experts: Networks whose weights at every epoch it learns from, ``ctx.experts``.
        embedding: A network by whose features it compares images, ``ctx.embedding``: its weights at every epoch.
        teachers: Networks whose answers it uses, ``ctx.teachers``: whole models, with the statistics of their norms.
        real_per_image: Real images of a class that must be there for every image asked for.
        trained_per_image: Images that a training sees for every image of the set.
    """

    network: bool = True
    whitening: str = ""
    normalised_as: str = ""
    experts: TrainedBefore | None = None
    embedding: TrainedBefore | None = None
    teachers: TrainedBefore | None = None
    real_per_image: int = 1
    trained_per_image: int = 1


def needs_of(method: Distiller) -> Needs:
    """Return what a distiller needs."""
    found = getattr(method, "needs", Needs())
    if not isinstance(found, Needs):
        raise BadInput(f"{type(method).__name__}.needs is {found!r}: it must be a Needs(...).")
    return found
