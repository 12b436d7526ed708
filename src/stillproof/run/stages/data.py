"""Real images of a data set: nothing to compute, but something to train on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.data_title import data_title
from stillproof.run.cell import Images
from stillproof.run.stage import Stage
from stillproof.suites.requests import Part

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("data", version=1)
@dataclass(frozen=True)
class Data(Stage):
    """Real training images, all or those left when a held-out part is taken away.

    Args:
        dataset: The data set.
        part: Which of its training images.
    """

    dataset: str
    part: Part = "train"

    def images(self, planner: Planner) -> Images:
        """Return the images, which are named by their content."""
        data = planner.names.data(self.dataset, self.part)
        return Images({"data": data.id}, data.total, self.dataset, f"full {data_title(self.dataset)}", part=self.part)
