"""How much of the real images a distilled set covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stillproof.core.components import metrics
from stillproof.score.metric import AnswerShare


@metrics.register("coverage", version=1, paper="arXiv:2002.09797")
@dataclass(frozen=True)
class Coverage(AnswerShare):
    """The share of real images that have a synthetic one among their nearest neighbours, in a network's features."""

    title: ClassVar[str] = "coverage %"
    key: ClassVar[str] = "coverage"
    counted: ClassVar[str] = "real"
