"""A table of any suite: columns, rows of values, and the notes that belong below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from stillproof.report.published import Published
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one accuracy is above another, a fraction."""

    summary: Summary


@dataclass(frozen=True, slots=True)
class Percent:
    """A fraction that is shown in percent, with some digits after the point."""

    fraction: float
    digits: int = 1


@dataclass(frozen=True, slots=True)
class Share:
    """A share of some images, with its 95 % interval for other images of the same kind, fractions."""

    fraction: float
    ci95: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Number:
    """A number without a unit; ``digits`` says how it is written, as Python's formats do."""

    value: float
    digits: str = ".3g"


@dataclass(frozen=True, slots=True)
class OutOf:
    """How many of so many, such as models; ``of_none`` is what people see where there are none at all."""

    count: int
    total: int
    of_none: str = "-"


@dataclass(frozen=True, slots=True)
class Radius:
    """The size of a change of pixels, which is shown as people write it, such as 8/255."""

    value: float


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time."""

    value: float


@dataclass(frozen=True, slots=True)
class Bytes:
    """A size."""

    value: int


@dataclass(frozen=True, slots=True)
class Interval:
    """The 95 % interval of a difference of accuracies, fractions."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Chance:
    """A p-value: how likely a difference at least as large is, if there is none."""

    value: float


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean that is shown without its interval, where there is no room for many."""

    summary: Summary


@dataclass(frozen=True, slots=True)
class Marked:
    """A value that stands out among others, with a star; programs see the value alone."""

    value: str | int | Percent | Number | None


Value = (
    str
    | int
    | Summary
    | Mean
    | Difference
    | Interval
    | Chance
    | Estimate
    | Percent
    | Share
    | Number
    | OutOf
    | Radius
    | Seconds
    | Bytes
    | Published
    | Marked
    | None
)


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

    # The forms are imported when they are asked for, because they know tables.
    def __repr__(self) -> str:
        """Return the table as people read it."""
        from stillproof.report.tables.formats import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        """Return what a notebook displays."""
        from stillproof.report.tables.formats import to_html

        return to_html(self)

    def to_dataframe(self) -> Any:
        """Return a ``pandas.DataFrame`` of fractions and seconds; a number with an interval is several columns.

        Raises:
            BadInput: pandas is not installed.
        """
        from stillproof.report.tables.formats import to_dataframe

        return to_dataframe(self)
