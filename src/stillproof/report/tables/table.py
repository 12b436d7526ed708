"""A table of any suite: columns, rows of values, and the notes that belong below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from stillproof.report.published import Published
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one accuracy is above another, a fraction."""

    summary: Summary


@dataclass(frozen=True, slots=True)
class Percent:
    """A fraction that is shown in percent."""

    fraction: float


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time."""

    value: float


@dataclass(frozen=True, slots=True)
class Bytes:
    """A size."""

    value: int


Value = str | int | Summary | Difference | Estimate | Percent | Seconds | Bytes | Published | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Args:
        key: Its name for programs.
        title: Its name for people.
        holds: The type of its values, besides None.
        fold: Whether people find its values below the table instead: ``never``, ``empty`` (if there are none), ``same``
            (if all rows have the same one) or ``always``.
        absent: What people see where there is no value.
    """

    key: str
    title: str
    holds: type = str
    fold: Literal["never", "empty", "same", "always"] = "never"
    absent: str = "-"


@dataclass(frozen=True, slots=True)
class Table:
    """A table; a row gives values to some of the columns."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Value]]
    notes: Sequence[str] = ()
