"""An accuracy table in every form that people ask for: Markdown, CSV, LaTeX and plain rows for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.markup import comma_separated, latex, markdown
from stillproof.report.tables import Line

# What a row is about stands before its numbers; how they were got, and whatever else a suite says, behind them.
ABOUT = ("dataset", "network", "method", "ipc")
NUMBERS = ("accuracy %", "95 % interval", "n")
NAMES = {"dataset": "data set"}


def header(lines: Sequence[Line]) -> tuple[str, ...]:
    """Return the titles of the columns."""
    before, after = _columns(lines)
    return (*(NAMES.get(key, key) for key in before), *NUMBERS, *(NAMES.get(key, key) for key in after))


def text_rows(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return the cells of the table as text; percent only here."""
    before, after = _columns(lines)
    return [(*_about(line, before), *_numbers(line), *_about(line, after)) for line in lines]


def _columns(lines: Sequence[Line]) -> tuple[list[str], list[str]]:
    """Return the keys that stand before the numbers, and those behind them."""
    keys = _keys(lines)
    return [key for key in ABOUT if key in keys], [key for key in keys if key not in ABOUT]


def _keys(lines: Sequence[Line]) -> list[str]:
    """Return what any row says of itself, in the order in which it is first said."""
    return list(dict.fromkeys(key for line in lines for key in line.keys))


def _about(line: Line, keys: Sequence[str]) -> list[str]:
    values = {key: line.keys.get(key) for key in keys}
    absent = {"ipc": "all"}  # full data has no number of images per class
    return [absent.get(key, "") if value is None else str(value) for key, value in values.items()]


def _numbers(line: Line) -> tuple[str, str, str]:
    accuracy = line.accuracy
    mean = f"{100 * accuracy.mean:.1f}" if accuracy else "-"
    interval = "-"
    if accuracy and accuracy.ci95:
        interval = f"{100 * accuracy.ci95[0]:.1f} to {100 * accuracy.ci95[1]:.1f}"
    n = str(accuracy.n if accuracy else 0) + (f" ({line.missing} missing)" if line.missing else "")
    return mean, interval, n


def to_markdown(lines: Sequence[Line]) -> str:
    """Return a Markdown table."""
    return markdown(header(lines), text_rows(lines))


def to_csv(lines: Sequence[Line]) -> str:
    """Return comma-separated values, with accuracies as fractions."""
    keys = _keys(lines)
    names = [*keys, "mean", "std", "n", "ci95_low", "ci95_high", "missing"]
    rows = []
    for line in lines:
        a = line.accuracy
        numbers = [a.mean, a.std, a.n, *(a.ci95 or (None, None))] if a else [None, None, 0, None, None]
        rows.append([*(line.keys.get(key) for key in keys), *numbers, line.missing])
    return comma_separated(names, rows)


def to_latex(lines: Sequence[Line]) -> str:
    """Return a booktabs table."""
    before, after = _columns(lines)
    return latex(header(lines), text_rows(lines), [False] * len(before) + [True] * len(NUMBERS) + [False] * len(after))
