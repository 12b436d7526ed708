"""Images under noise of one strength, with soft and with hard labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.report.answers import Answered
from stillproof.report.rows import grouped, paired
from stillproof.report.tables.table import Difference
from stillproof.score.stats import Summary

NOISE = "noise"  # the method whose images are noise and nothing else
SOFT, HARD = "soft", "hard"


@dataclass(frozen=True, slots=True)
class Controlled:
    """One method with one number of images and one strength of the noise."""

    strength: float
    soft: Answered | None
    hard: Answered | None

    @property
    def row(self) -> Answered:
        """Return a row that says what this is about."""
        return self.rows()[0]

    def rows(self) -> list[Answered]:
        """Return those of both that were asked for."""
        return [row for row in (self.soft, self.hard) if row is not None]

    def accuracy(self, labels: str) -> Summary | None:
        """Return the accuracy with soft or with hard labels."""
        row = self.soft if labels == SOFT else self.hard
        return None if row is None else row.summary()

    def is_answered(self) -> bool:
        """Say whether at least one of both is known."""
        return any(row.summary() is not None for row in self.rows())

    def gain(self) -> Difference | None:
        """Return what soft labels add, seed by seed."""
        return None if self.soft is None or self.hard is None else paired(self.soft.values(), self.hard.values())


def controlled_of(rows: Sequence[Answered]) -> list[Controlled]:
    """Return what the rows ask about, in their order."""
    groups = grouped(rows, "dataset", "network", "method", "ipc", "disturbance")
    return [_controlled(float(key[-1] or 0), group) for key, group in groups.items()]


def _controlled(strength: float, group: Sequence[Answered]) -> Controlled:
    found = {row["labels"]: row for row in group}
    return Controlled(strength, found.get(SOFT), found.get(HARD))
