"""The area below the curve of robust accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.metric import AnswerShare


@metrics.register("robust-area", version=1)
@dataclass(frozen=True)
class RobustArea(AnswerShare):
    """The mean robust accuracy over all sizes of the change, from 0 to the largest."""

    title: ClassVar[str] = "mean over eps %"
    key: ClassVar[str] = "area"
    counted: ClassVar[str] = "n"
