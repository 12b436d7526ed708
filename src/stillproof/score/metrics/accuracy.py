"""Test accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.metric import AnswerShare


@metrics.register("accuracy", version=1)
@dataclass(frozen=True)
class Accuracy(AnswerShare):
    """The share of test images that a network has right."""

    title: ClassVar[str] = "accuracy %"
    key: ClassVar[str] = "accuracy"
    counted: ClassVar[str] = "n_test"
