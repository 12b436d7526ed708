"""A distilled set that is in the store already: imported, or made before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.run.cell import Images
from stillproof.run.stage import Stage
from stillproof.suites.requests import Part

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("artifact", version=1)
@dataclass(frozen=True)
class StoredSet(Stage):
    """A distilled set of the store.

    Args:
        artifact: Its content id.
        dataset: Where it is judged.
        cell: The cell that made it, if that is known: it then names the set, as in a suite that makes it.
        count: How many images a training sees.
        part: The real images that it is seen among, where it is compared with them.
        name: What people call it.
        space: The space of its images, as ``space_text`` writes it; empty for the usual one of the data set.
    """

    artifact: str
    dataset: str
    cell: str | None = None
    count: int = 0
    part: Part = "train"
    name: str = ""
    space: str = ""

    def images(self, planner: Planner) -> Images:
        """Return the images; they are there, so that no cell is needed."""
        spec = {"cell": self.cell} if self.cell else {"artifact": self.artifact}
        return Images(spec, self.count, self.dataset, self.name or self.artifact[:12])
