"""A number of a method on one side of a report card, and what the sides are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from stillproof.report.answers import Answered
from stillproof.report.rows import Rows, Values
from stillproof.report.tables.table import Value
from stillproof.score.stats import Summary

Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Measured:
    """One number of a method.

    Args:
        row: A row that says what it is about.
        value: The number with its interval; none if it is not known.
        seeds: The number of each seed, by which methods are compared; none where it is not known.
        tested: The cells whose predictions it is a share of, one per seed, where it is an accuracy.
        parts: Where it is made of two by a weight w, what it is at w = 0 and w = 1 before ``Side.weighs``, by seed.
    """

    row: Answered
    value: Value
    seeds: Values = ()
    tested: Sequence[str] = ()
    parts: tuple[Values, Values] | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a distilled set.

    Args:
        key: Its name for programs.
        title: Its name for people.
        suite: The suite whose rows it is read from.
        section: The section that has them.
        better: Which numbers are better.
        read: Reads it from the rows of the suite.
        about: What it is, in a few words.
        holds: The type of its values.
        radar: Whether it is a ray of the radar: no two of these say much the same.
        weighs: Whether it is made of two parts by a weight: their mean as it is, or as DD-Ranking takes -1..1 to 0..1.
    """

    key: str
    title: str
    suite: str
    section: str
    better: Better
    read: Callable[[Rows], Iterable[Measured]]
    about: str
    holds: type = Summary
    radar: bool = True
    weighs: Literal["", "plainly", "convexly"] = ""

    @property
    def name(self) -> str:
        """Return its title without the unit."""
        return self.title.removesuffix(" %").partition(",")[0]

    def measured(self, rows: Rows) -> list[Measured]:
        """Return what the rows of its suite say of every method; nothing, where its section was not asked."""
        return list(self.read(rows)) if rows.get(self.section) else []
