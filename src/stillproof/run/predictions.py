"""Reads what a trained network predicted for every test image; nothing is computed again."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import ImageSet
from stillproof.run.stage import Job
from stillproof.run.trained_models import read_of_training
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

TESTED = ("train", "select")  # the stages whose answers have predictions

Tested = Request | str  # what is asked for, or the id of a cell that is finished


@dataclass(frozen=True)
class Predictions:
    """What a network predicted, (N,), for the test images of a data set."""

    predicted: Tensor
    test: ImageSet
    outcomes: str  # the artifact that they were read from

    @property
    def right(self) -> Tensor:
        """Return whether each image was recognised, (N,)."""
        return self.predicted == self.test.labels


def plan_tested(planner: Planner, of: Tested) -> tuple[str, tuple[str, ...], str]:
    """Return the cell whose predictions are to be read, the cells that must come first, and its label."""
    if isinstance(of, str):
        return of, (), f"cell {of[:12]}"
    cell = planner.plan(of)
    if cell.stage not in TESTED:
        raise BadInput(f"{cell.label} is not a trained network, so that it predicts nothing for test images.")
    return cell.id, (cell.id,), cell.label


def read_predictions(cell: str, job: Job) -> Predictions:
    """Return the predictions of a training, or of the epoch that was chosen from it."""
    record = job.store.results.get(cell)
    if record is None or record.result is None or "outcomes" not in record.result:
        raise BadInput(f"cell {cell[:12]} has no predictions: it is not a training that is finished.")
    answer = record.result
    stored = read_of_training(job.store, answer["outcomes"])
    train = job.record_of(stored.card["train"])
    test = dataclasses.replace(job, where=train.where).data(stored.card["test"], "test")
    epoch = answer["epoch"] if "epoch" in answer else answer["epochs"][-1]
    point = stored.tensors["epochs"].tolist().index(epoch)
    return Predictions(stored.tensors["predictions"][point].to(torch.int64), test, answer["outcomes"])
