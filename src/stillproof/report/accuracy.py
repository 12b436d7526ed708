"""How a suite without tables of its own is shown: one table of accuracies, and the same as bars."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.answers import Answered
from stillproof.report.captions import Basis
from stillproof.report.figures.values import Bar, Bars
from stillproof.report.rows import missing_notes, one_set
from stillproof.report.section import Section
from stillproof.report.tables.columns import ACCURACY, MISSING, around, values
from stillproof.report.tables.metric_columns import added_metrics, metric_columns, metric_values
from stillproof.report.tables.table import Table
from stillproof.score.metric import StoredAnswer

TITLE = "Accuracy of networks trained on the sets"


def accuracy_section(suite: str) -> Section[None]:
    """Return the section that all rows of a suite belong to."""
    return Section(
        suite,
        None,
        lambda rows: [accuracy_table(suite, rows[suite])],
        lambda rows: {suite: accuracy_bars(rows[suite])} if _any_answer(rows[suite]) else {},
        title=TITLE,
        question="How accurate are networks trained on each set?",
        reading="Higher is better; compare methods at the same number of images, with full data as the ceiling.",
    )


def accuracy_table(name: str, rows: Sequence[Answered]) -> Table:
    """Return one line per row; what a suite says beyond the usual comes after the numbers."""
    added = added_metrics(StoredAnswer)
    lines = [
        values(row.keys)
        | {"accuracy": row.summary(), "missing": row.missing}
        | metric_values(added, [row.answer(seed) for seed in range(len(row.results))])
        for row in rows
    ]
    columns = around((ACCURACY, *metric_columns(added), MISSING), [row.keys for row in rows])
    return Table(name, TITLE, columns, lines, missing_notes(rows))


def accuracy_bars(rows: Sequence[Answered]) -> Bars:
    """Return accuracy by images per class, one panel per data set and network."""
    bars = [
        Bar(
            group="all" if row["ipc"] is None else str(row["ipc"]),
            method=str(row["method"] or ""),
            value=row.summary(),
            panel=", ".join(str(row[key]) for key in ("dataset", "network") if row[key] is not None),
        )
        for row in rows
    ]
    recipe, protocol, selection = (" and ".join(_said(rows, key)) for key in ("recipe", "protocol", "selection"))
    about = [f"recipe {recipe}" if recipe else "", one_set(str(row["method"]) for row in rows if row["set"])]
    basis = Basis(protocol, selection, "; ".join(filter(None, about)))
    return Bars(TITLE, bars, basis, group_name="images per class")


def _any_answer(rows: Sequence[Answered]) -> bool:
    return any(row.summary() is not None for row in rows)


def _said(rows: Sequence[Answered], key: str) -> list[str]:
    return list(dict.fromkeys(str(row[key]) for row in rows if row[key]))
