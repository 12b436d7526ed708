"""A table in every form that people and programs ask for."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stillproof.core.spec import Json
from stillproof.report.published import Published
from stillproof.report.tables.latex import to_latex
from stillproof.report.tables.layout import laid_out, terminal_width, wrapped
from stillproof.report.tables.markup import comma_separated, dataframe, html_table, markdown
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
from stillproof.report.tables.text import shown
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary

# A number with an interval is several columns for programs, named after its own.
_PARTS: Mapping[type, Sequence[str]] = {
    Summary: ("mean", "std", "n", "ci95_low", "ci95_high"),
    Mean: ("mean", "std", "n", "ci95_low", "ci95_high"),
    Difference: ("mean", "std", "n", "ci95_low", "ci95_high"),
    Interval: ("low", "high"),
    OutOf: ("count", "total"),
    Estimate: ("value", "ci95_low", "ci95_high"),
    Share: ("value", "ci95_low", "ci95_high"),
}


def to_text(table: Table) -> str:
    """Return the title, the table in columns of plain text, and its notes, as wide as a terminal at most."""
    text, width = shown(table), terminal_width()
    body = laid_out(text.header, text.rows, text.numbers, width)
    return "\n".join((wrapped(table.title, width), body, *(wrapped(note, width) for note in text.notes)))


def to_html(table: Table) -> str:
    """Return an HTML table with its title and notes; what people write in names is shown, not run."""
    text = shown(table)
    notes = "<br>\n".join(html.escape(note) for note in text.notes)
    return f"{html_table(table.title, text.header, text.rows, text.numbers)}<p><small>{notes}</small></p>\n"


def to_dataframe(table: Table) -> Any:
    """Return the columns of ``to_csv`` as a ``pandas.DataFrame``."""
    return dataframe(*_flat(table))


def to_markdown(table: Table) -> str:
    """Return a heading, the table and its notes as a list."""
    text = shown(table)
    notes = "".join(f"- {note}\n" for note in text.notes)
    return "\n".join((f"### {table.title}\n", markdown(text.header, text.rows), notes))


def to_csv(table: Table) -> str:
    """Return comma-separated values with fractions, seconds and bytes."""
    return comma_separated(*_flat(table))


def to_csv_with_notes(table: Table) -> str:
    """Return title and notes as comment lines, then what ``to_csv`` gives."""
    comments = "".join(f"# {line}\n" for line in (f"{table.name}: {table.title}", *table.notes))
    return comments + to_csv(table)


def to_json(table: Table) -> Json:
    """Return the table as JSON values, with fractions, seconds and bytes."""
    return {
        "name": table.name,
        "title": table.title,
        "columns": [{"key": column.key, "title": column.title} for column in table.columns],
        "rows": [{column.key: _json(row.get(column.key)) for column in table.columns} for row in table.rows],
        "notes": list(table.notes),
    }


FORMATS: Mapping[str, Callable[[Table], str]] = {"md": to_markdown, "latex": to_latex, "csv": to_csv}


def _flat(table: Table) -> tuple[list[str], list[list[object]]]:
    """Return header and rows for programs, in which a number with an interval is several."""
    header = [name for column in table.columns for name in _names(column)]
    rows = [[part for column in table.columns for part in _parts(row.get(column.key), column)] for row in table.rows]
    return header, rows


def _names(column: Column) -> list[str]:
    return [f"{column.key}_{part}" for part in _PARTS.get(column.holds, ())] or [column.key]


def _parts(value: Value, column: Column) -> Sequence[object]:
    """Return the parts of a value; one of another kind than its column has its number first and its interval last."""
    found, names = _own_parts(value, column), _names(column)
    if len(found) == len(names):
        return found
    ends = found[-2:] if isinstance(value, Estimate) else []
    return [found[0], *[None] * (len(names) - 1 - len(ends)), *ends]


def _own_parts(value: Value, column: Column) -> Sequence[object]:
    match value:
        case None:
            return [None] * len(_names(column))
        case Interval(low, high):
            return [low, high]
        case OutOf(count, total):
            return [count, total]
        case Summary() | Mean() | Difference():
            summary = value if isinstance(value, Summary) else value.summary
            return [summary.mean, summary.std, summary.n, *(summary.ci95 or (None, None))]
        case Estimate():
            return [value.value, *(value.ci95 or (None, None))]
        case Share(fraction, (low, high)):
            return [fraction, low, high]
        case Published():
            return [value.mean]
        case _:
            return [_json(value)]


def _json(value: Value) -> object:
    match value:
        case Summary() | Estimate():
            return value.as_dict()
        case Difference(summary) | Mean(summary):
            return summary.as_dict()
        case Interval(low, high):
            return [low, high]
        case OutOf(count, total):
            return {"count": count, "total": total}
        case Marked(inner):
            return _json(inner)
        case Share(fraction, ci95):
            return {"value": fraction, "ci95": list(ci95)}
        case Percent(number) | Seconds(number) | Bytes(number) | Chance(number) | Number(number) | Radius(number):
            return number
        case Published():
            return {key: getattr(value, key) for key in ("mean", "place", "paper", "note")}
        case _:
            return value
