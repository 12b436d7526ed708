"""What a session gives back: a distilled set that was made, and a score."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stillproof.core.spec import Json
from stillproof.core.weight import Weight
from stillproof.score.by_class import ClassScore
from stillproof.score.stats import Summary


@dataclass(frozen=True)
class Score:
    """An accuracy with everything that must be said beside it; fractions, not percent."""

    accuracy: Summary
    per_seed: list[float]
    by_class: list[ClassScore]
    models: list[str]
    dataset: str
    network: str
    recipe: str
    selection: str
    points: int  # measured epochs that the selection chose among
    n_test: int
    caveats: list[str]

    def as_dict(self) -> Json:
        """Return the score as JSON values."""
        return dataclasses.asdict(self) | {
            "accuracy": self.accuracy.as_dict(),
            "by_class": [score.as_dict() for score in self.by_class],
        }


@dataclass(frozen=True)
class Made:
    """A distilled set that was made, or was there already."""

    artifact: str
    name: str
    path: Path
    cell: str
    cached: bool
    result: Json
    weight: Weight
    snapshots: Mapping[int, str] = field(default_factory=dict)  # artifacts of the steps that were asked for
