"""Two ways of doing the same side by side, with their difference seed by seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.report.answers import Answered
from stillproof.report.rows import above
from stillproof.report.tables.columns import about
from stillproof.report.tables.table import Column, Difference, Value
from stillproof.score.stats import Summary


@dataclass(frozen=True, slots=True)
class Versus:
    """The names of two ways, the second of which is subtracted from the first."""

    first: str
    second: str

    def columns(self) -> tuple[Column, ...]:
        """Return the columns of both and of their difference."""
        title = f"{self.first} over {self.second}, points"
        ways = (Column(name, f"{name} %", Summary) for name in (self.first, self.second))
        return (*ways, Column("difference", title, Difference))

    def line(self, group: Sequence[Answered], first: Answered | None, second: Answered | None) -> dict[str, Value]:
        """Return the line of a group of rows, whose first one it is about."""
        difference = above(first, second) if first is not None and second is not None else None
        return about(group[0]) | {
            self.first: first.summary() if first is not None else None,
            self.second: second.summary() if second is not None else None,
            "difference": difference,
        }
