"""One number on a board, with what stands beside it: its interval, its rank, and what others say of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stillproof.report.tables.table import Difference, Seconds, Value
from stillproof.report.tables.text import text_parts
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary
from stillproof.suites.report_card.standing import Placed

Source = Literal["here", "elsewhere", "both"]  # where the answers behind a number were computed


@dataclass(frozen=True, slots=True)
class Beside:
    """What somebody else says of the same question.

    Args:
        word: Whether that is claimed by results from elsewhere, or reported by the author of a set.
        text: The number.
        note: Who says so, and how far it can be compared.
    """

    word: Literal["claimed", "reported"]
    text: str
    note: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One number on a board.

    Args:
        placed: The number with its rank.
        source: Where it was computed.
        beside: What others say of it.
    """

    placed: Placed
    source: Source = "here"
    beside: Sequence[Beside] = ()

    @property
    def value(self) -> Value:
        """Return the number."""
        return self.placed.measured.value

    @property
    def text(self) -> str:
        """Return it without its interval."""
        return text_parts(self.value)[0]

    @property
    def interval(self) -> str:
        """Return the interval as text, empty if there is none."""
        return text_parts(self.value)[1]

    @property
    def others(self) -> list[Beside]:
        """Return what others say of it; a claim that is all there is stands in its place already."""
        return [one for one in self.beside if one.word == "reported" or self.source != "elsewhere"]

    def drawn(self, low: float, high: float) -> tuple[float, float, float] | None:
        """Return its mean and both ends as shares of the way from ``low`` to ``high``; nothing without an interval."""
        mean, ends = span(self.value) or (0.0, None)
        if ends is None or high <= low:
            return None
        width = high - low
        return (mean - low) / width, (ends[0] - low) / width, (ends[1] - low) / width


def span(value: Value) -> tuple[float, tuple[float, float] | None] | None:
    """Return a number and its interval, if it is one."""
    match value:
        case Summary():
            return value.mean, value.ci95
        case Difference(summary):
            return summary.mean, summary.ci95
        case Estimate():
            return None if value.value is None else (value.value, value.ci95)
        case Seconds(seconds):
            return seconds, None
        case _:
            return None
