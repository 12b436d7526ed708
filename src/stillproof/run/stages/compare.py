"""Two groups of trained networks on the same test images, pair by pair, from their stored predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.run.cell import Planned
from stillproof.run.predictions import Tested, plan_tested, read_predictions
from stillproof.run.stage import Answer, Job, Stage

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("compare", version=1)
@dataclass(frozen=True)
class Compare(Stage):
    """On how many images both networks of a pair were right, only one, or none; derived, costs nothing.

    Args:
        first: Trainings, choices of their epochs, or the ids of either once they are finished.
        second: As many, each of which is paired with the one at its place in ``first``.
    """

    only_counts: ClassVar[bool] = True

    first: tuple[Tested, ...]
    second: tuple[Tested, ...]

    def plan(self, planner: Planner) -> Planned:
        """Plan the comparison, and the trainings that were asked for."""
        if len(self.first) != len(self.second) or not self.first:
            counts = f"{len(self.first)} and {len(self.second)}"
            raise BadInput(f"networks are compared in pairs, so that {counts} of them cannot be: name as many of each.")
        first, second = ([plan_tested(planner, of) for of in side] for side in (self.first, self.second))
        spec = {"first": [cell for cell, _, _ in first], "second": [cell for cell, _, _ in second]}
        needs = dict.fromkeys(need for _, found, _ in (*first, *second) for need in found)
        return Planned(spec, f"{first[0][2]} against {second[0][2]}", needs=tuple(needs))

    @staticmethod
    def compute(job: Job) -> Answer:
        """Count the images of every kind."""
        cells = (*job.spec["first"], *job.spec["second"])
        found = [read_predictions(cell, job) for cell in cells]
        tests = sorted({predictions.test.id for predictions in found})
        if len(tests) > 1:
            raise BadInput(f"only answers for the same test images can be compared, not for {' and '.join(tests)}.")
        right = torch.stack([predictions.right for predictions in found])
        first, second = right.chunk(2)  # (pairs, N) each
        result = {
            "n_test": right.shape[1],
            "pairs": [_counts(one, other) for one, other in zip(first, second, strict=True)],
            "net": _net_scores(first, second),
        }
        outcomes = dict.fromkeys(predictions.outcomes for predictions in found)
        return Answer(result, artifacts=tuple(outcomes), derived_from=tuple(dict.fromkeys(cells)))


def _counts(first: Tensor, second: Tensor) -> Json:
    kinds = {"both": first & second, "only_first": first & ~second, "only_second": ~first & second}
    counts = {kind: int(images.sum()) for kind, images in kinds.items()}
    return counts | {"neither": len(first) - sum(counts.values())}


def _net_scores(first: Tensor, second: Tensor) -> list[tuple[int, int]]:
    """Return the number of images by net score: the pairs in which only the first was right, less the others."""
    scores = first.long().sum(0) - second.long().sum(0)  # (N,), from -pairs to pairs
    counts = (scores + len(first)).bincount().tolist()
    return [(place - len(first), images) for place, images in enumerate(counts) if images]
