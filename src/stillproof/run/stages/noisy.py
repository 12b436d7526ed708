"""A distilled set whose images are disturbed by noise."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import Distilled
from stillproof.run.cell import Planned
from stillproof.run.changed_sets import keep_changed, source_of
from stillproof.run.stage import Answer, Job, Stage
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("noisy", version=1)
@dataclass(frozen=True)
class Noisy(Stage):
    """The images of a set with Gaussian noise added, in the space that they live in.

    Args:
        of: The set.
        std: Standard deviation of the noise; values of normalised images have one of 1.
        seed: Its seed.
    """

    of: Request
    std: float
    seed: int = 0

    def plan(self, planner: Planner) -> Planned:
        """Plan the set."""
        if self.std < 0:
            raise BadInput(f"std = {self.std} is not allowed: the strength of noise is a number from 0 on.")
        images = source_of(self.of, planner)
        return Planned(
            spec={"of": images.spec, "std": self.std, "seed": self.seed},
            label=f"{images.label} under noise of {self.std:g}",
            needs=images.needs,
            where={"dataset": images.dataset},
            images=images.count,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Add the noise."""
        return keep_changed(job, job.spec["of"], f"noise-{job.spec['std']:g}", _disturbed)


def _disturbed(distilled: Distilled, job: Job) -> Distilled:
    if not job.spec["std"]:
        return distilled
    generator = Seeds(job.spec["seed"]).child("noisy").torch()
    noise = torch.randn(distilled.images.shape, generator=generator)
    return dataclasses.replace(distilled, images=distilled.images + job.spec["std"] * noise)
