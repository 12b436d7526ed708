"""All methods on all sides at once: what a report card shows first."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.figures.values import FigureData
from stillproof.report.rows import Rows, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import DATASET, IPC, METHOD
from stillproof.report.tables.table import Column, Difference, Marked, Mean, Number, Percent, Table, Value
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary
from stillproof.suites.report_card.measured import Side
from stillproof.suites.report_card.parts import rows_of
from stillproof.suites.report_card.radar import radar_of
from stillproof.suites.report_card.sides import SIDES
from stillproof.suites.report_card.standing import Placed, ranked

TITLE = "Every side at once"
STARS = "A star: nothing is shown to be better on this side, and it comes first in at least 5 % of resamples."
CARDS = "`stillproof card METHOD` has the intervals, ranks and n of these means."
About = tuple[str, str, int]  # data set, method, images per class


def _placed(rows: Rows) -> dict[About, list[Placed]]:
    """Return what rows of a report card say of each method."""
    found: dict[About, list[Placed]] = {}
    for side in SIDES:
        for one in ranked(side, side.measured(rows_of(rows, side.suite))):
            about = str(one.row["dataset"]), str(one.row["method"]), int(one.row["ipc"])
            found.setdefault(about, []).append(one)
    return found


def summary_tables(rows: Rows) -> list[Table]:
    """Return one line per data set, method and number of images."""
    found = _placed(rows)
    known = {one.side.title for placed in found.values() for one in placed}
    sides = {side.title: side for side in SIDES if side.title in known}
    columns = [DATASET, METHOD, IPC, *(Column(title, title, _holds(side)) for title, side in sides.items())]
    lines = [_line(about, placed) for about, placed in found.items()]
    every = [row for part in rows.values() for row in part]
    sections = "Tables of each suite: `stillproof table report-card --section NAME`, one of " + ", ".join(rows) + "."
    starred = any(isinstance(value, Marked) for line in lines for value in line.values())
    return [Table("summary", TITLE, columns, lines, [*[STARS] * starred, CARDS, sections, *missing_notes(every)])]


def _holds(side: Side) -> type:
    return Mean if side.holds in (Summary, Difference) else side.holds


def _line(about: About, placed: Sequence[Placed]) -> dict[str, Value]:
    dataset, method, ipc = about
    values = {one.side.title: _shown(one) for one in placed}
    return {"dataset": dataset, "method": method, "ipc": ipc, **values}


def _shown(one: Placed) -> Value:
    """Return a number without its interval, with a star where nothing is shown to be better."""
    value = one.measured.value
    if isinstance(value, Difference):
        value = value.summary
    if not isinstance(value, Summary):
        return Number(value.value, ".2f") if isinstance(value, Estimate) and value.value is not None else value
    return Marked(Percent(value.mean)) if one.leads else Mean(value)


def summary_figures(rows: Rows) -> dict[str, FigureData]:
    """Return the radars of all methods, one figure per data set and number of images."""
    groups: dict[tuple[str, int], dict[str, list[Placed]]] = {}
    for (dataset, method, ipc), placed in _placed(rows).items():
        groups.setdefault((dataset, ipc), {})[method] = placed
    drawn = {place: radar_of(f"{TITLE}: {place[0]}, {images(place[1])}", found) for place, found in groups.items()}
    return {f"radar-{dataset}-{ipc}": radar for (dataset, ipc), radar in drawn.items() if radar.shown()}


SECTION = Section(
    "summary",
    None,
    summary_tables,
    summary_figures,
    title=TITLE,
    question="How good is each set, on every side?",
    reading="No side stands for the others: a set may train accurate networks that any attack breaks.",
    sums_up=True,
)
