"""Accuracy under one attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.metric import AnswerShare


@metrics.register("robust-accuracy", version=1)
@dataclass(frozen=True)
class RobustAccuracy(AnswerShare):
    """The share of all images that a model has right in spite of an attack."""

    title: ClassVar[str] = "robust accuracy %"
    key: ClassVar[str] = "robust_accuracy"
    counted: ClassVar[str] = "n"
