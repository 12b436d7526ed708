"""Real images of a data set: nothing to compute, but something to train on, or to be tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from stillproof.core.components import stages
from stillproof.core.data_title import data_title
from stillproof.core.types import Split
from stillproof.run.cell import Images
from stillproof.run.stage import Stage
from stillproof.suites.requests import Part

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("data", version=1)
@dataclass(frozen=True)
class Data(Stage):
    """Real images: those of a split.

    Args:
        dataset: The data set.
        part: All training images, those left when a held-out part is taken away, that part, or the test images.
    """

    dataset: str
    part: Split = "train"

    def images(self, planner: Planner) -> Images:
        """Return the images, which are named by their content."""
        data = planner.names.data(self.dataset, self.part)
        title = data_title(self.dataset)
        label = f"full {title}" if self.is_learned_from else f"{self.part} images of {title}"
        return Images({"data": data.id}, data.total, self.dataset, label, part=self.part)

    @property
    def is_learned_from(self) -> bool:
        """Say whether sets may be made of these images: not of those that are kept to judge by."""
        return self.part in get_args(Part)
