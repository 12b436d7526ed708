"""A table as people read it: percent with intervals, and what all rows share said once below it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stillproof.core.number_text import size_text
from stillproof.report.captions import SELECTIONS, seeds_sentence
from stillproof.report.published import Published
from stillproof.report.tables.markup import PLUS_MINUS
from stillproof.report.tables.table import (
    Bytes,
    Chance,
    Column,
    Difference,
    Interval,
    Marked,
    Mean,
    Number,
    OutOf,
    Percent,
    Radius,
    Seconds,
    Share,
    Table,
    Value,
)
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary


@dataclass(frozen=True, slots=True)
class Shown:
    """A table as text; ``numbers`` says of each column whether it holds numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]
    numbers: Sequence[bool]


def shown(table: Table, *, plus_minus: bool = False) -> Shown:
    """Return the table as text: columns that fold are in the notes, and so is n where it is the same everywhere.

    With ``plus_minus``, intervals that are symmetric are half their width after such a sign, not both ends in brackets.
    """
    folded = [column for column in table.columns if _folds(column, table.rows)]
    columns = [column for column in table.columns if column not in folded]
    header = [column.title for column in columns]
    rows = [[_cell(row.get(column.key), column, plus_minus=plus_minus) for column in columns] for row in table.rows]
    summaries = [_summaries(row) for row in table.rows]
    plain = [_has_plain_number(row, columns) for row in table.rows]
    counts = [_counts(found) if found or not alone else "-" for found, alone in zip(summaries, plain, strict=True)]
    numbers = [column.holds is not str for column in columns]
    if len(set(counts)) > 1 or any(" to " in count or ", " in count for count in counts):
        header, numbers = [*header, "n"], [*numbers, True]
        rows = [[*row, count] for row, count in zip(rows, counts, strict=True)]
    every = [summary for found in summaries for summary in found]
    seeds = seeds_sentence(every, _interval_mark(every) if plus_minus else "in brackets")
    notes = [note for note in (_folded_sentence(folded, table.rows), seeds, *table.notes) if note]
    return Shown(header, rows, notes, numbers)


def text_of(value: Value, *, plus_minus: bool = False) -> str:
    """Return one value as text."""
    if plus_minus and isinstance(value, Summary | Difference):
        summary = value if isinstance(value, Summary) else value.summary
        if _is_symmetric(summary) and summary.ci95 is not None:
            half = f"{PLUS_MINUS} {100 * (summary.ci95[1] - summary.mean):.1f}"
            return f"{_signed(summary.mean) if isinstance(value, Difference) else f'{100 * summary.mean:.1f}'} {half}"
    match value:
        case None:
            return "-"
        case Summary() | Difference() | Estimate() | Share():
            middle, ends = text_parts(value)
            return f"{middle} ({ends})" if ends else middle
        case Mean(summary):
            return f"{100 * summary.mean:.1f}"
        case Interval(low, high):
            return f"{_signed(low)} to {_signed(high)}"
        case Chance(p):
            return "<0.001" if p < 0.001 else f"{p:.3f}"
        case Percent(fraction, digits):
            return f"{100 * fraction:.{digits}f}"
        case Number(number, digits):
            return f"{number:{digits}}"
        case OutOf(count, total, of_none):
            return f"{count} of {total}" if total else of_none
        case Radius(size):
            return size_text(size)
        case Published():
            return value.printed
        case Seconds(seconds):
            return _time(seconds)
        case Bytes(count):
            return _size(count)
        case Marked(inner):
            return f"{text_of(inner)}*"
        case _:
            return str(value)


def text_parts(value: Value) -> tuple[str, str]:
    """Return one value as text without its interval, and the interval, which is empty if there is none."""
    match value:
        case Summary():
            return f"{100 * value.mean:.1f}", _ends(value.ci95, lambda end: f"{100 * end:.1f}")
        case Difference(summary):
            return _signed(summary.mean), _ends(summary.ci95, _signed)
        case Estimate() if value.value is not None:
            return f"{value.value:.2f}", _ends(value.ci95, lambda end: f"{end:.2f}")
        case Estimate():
            return "-", ""
        case Share(fraction, ci95):
            return f"{100 * fraction:.2f}", _ends(ci95, lambda end: f"{100 * end:.1f}")
        case _:
            return text_of(value), ""


def _cell(value: Value, column: Column, *, plus_minus: bool) -> str:
    return column.absent if value is None else text_of(value, plus_minus=plus_minus)


def _is_symmetric(summary: Summary) -> bool:
    """Say whether both ends of an interval are as far from the mean; only plain Student's is, but by chance."""
    if summary.ci95 is None or summary.rule != "student":
        return False
    low, high = summary.ci95
    return math.isclose(high - summary.mean, summary.mean - low, abs_tol=1e-9)


def _interval_mark(values: Sequence[Summary]) -> str:
    """Return where the intervals of some means stand, if those that are symmetric have a plus-minus sign."""
    symmetric = {_is_symmetric(value) for value in values if value.ci95 is not None}
    if len(symmetric) > 1:
        return f"after {PLUS_MINUS}, or in brackets where it is not symmetric"
    return f"after {PLUS_MINUS}" if symmetric == {True} else "in brackets"


def _folds(column: Column, rows: Sequence[Mapping[str, Value]]) -> bool:
    values = [row.get(column.key) for row in rows]
    match column.fold:
        case "always":
            return True
        case "same":
            return all(value == values[0] for value in values)
        case "empty":
            return all(value is None for value in values)
        case "never":
            return False


def _folded_sentence(columns: Sequence[Column], rows: Sequence[Mapping[str, Value]]) -> str:
    parts = []
    for column in columns:
        values = [value for value in dict.fromkeys(row.get(column.key) for row in rows) if value]
        said = ", ".join(_said(column, value) for value in values)
        parts += [said if column.key in ("dataset", "network", "selection") else f"{column.title} {said}"] * bool(said)
    return f"{'; '.join(parts)}." if parts else ""


def _said(column: Column, value: Value) -> str:
    text = text_of(value)
    return SELECTIONS.get(text, text) if column.key == "selection" else text


def _summaries(row: Mapping[str, Value]) -> list[Summary]:
    """Return the means of a row, each with its interval if that is shown."""
    whole = [value.summary if isinstance(value, Difference) else value for value in row.values()]
    bare = [dataclasses.replace(value.summary, ci95=None) for value in row.values() if isinstance(value, Mean)]
    return [value for value in whole if isinstance(value, Summary)] + bare


def _has_plain_number(row: Mapping[str, Value], columns: Sequence[Column]) -> bool:
    """Say whether a row has a number that is no mean where others have one, such as a size: it has no n."""
    return any(column.holds is Summary and row.get(column.key) is not None for column in columns)


def _ends(ends: tuple[float, float] | None, end: Callable[[float], str]) -> str:
    return "" if ends is None else f"{end(ends[0])} to {end(ends[1])}"


def _signed(fraction: float) -> str:
    return f"{round(100 * fraction, 1) + 0.0:+.1f}"  # adding zero turns a negative zero


def _counts(found: Sequence[Summary]) -> str:
    """Return over how many seeds the means of a row are; those over something else say what, but for single seeds."""
    seeds = sorted({summary.n for summary in found if summary.over == "seeds"})
    others = sorted({f"{summary.n} {summary.over}" for summary in found if summary.over != "seeds" and summary.n > 1})
    if not others:
        return _range(seeds) if seeds or not found else "1"
    return ", ".join([*([_range(several)] if (several := [n for n in seeds if n > 1]) else []), *others])


def _range(counts: Sequence[int]) -> str:
    return "0" if not counts else str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.3g} min"
    return f"{seconds / 3600:.3g} h" if seconds < 48 * 3600 else f"{seconds / 86400:.3g} days"


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"
