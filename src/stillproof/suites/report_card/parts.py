"""The suites that a report card is made of, and their sections under names that say whose they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from stillproof.report.accuracy import accuracy_section
from stillproof.report.rows import Rows
from stillproof.report.section import BETWEEN, Section
from stillproof.report.tables.table import Table
from stillproof.suites.beard.suite import SECTIONS as BEARD
from stillproof.suites.dc_bench.suite import SECTIONS as DC_BENCH
from stillproof.suites.dd_ranking.suite import SECTIONS as DD_RANKING
from stillproof.suites.mad.suite import SECTIONS as MAD

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stillproof.report.figures.values import FigureData

SECTIONS: Mapping[str, Sequence[Section[Any]]] = {
    "accuracy": (accuracy_section("accuracy"),),
    "dc-bench": DC_BENCH,
    "dd-ranking": DD_RANKING,
    "beard": BEARD,
    "mad": MAD,
}


def section_name(suite: str, section: str | None) -> str:
    """Return what a section of a suite is called in a report card; a suite without sections has one of its name."""
    return f"{suite}{BETWEEN}{section or suite}"


def rows_of(rows: Rows, suite: str) -> Rows:
    """Return the rows of one suite among those of a report card, by the names that its sections have there."""
    begin = f"{suite}{BETWEEN}"
    return {name.removeprefix(begin): found for name, found in rows.items() if name.startswith(begin)}


def part_sections() -> Iterable[Section[Any]]:
    """Yield all sections of all suites, under their names in a report card."""
    for suite, sections in SECTIONS.items():
        yield from (_within(suite, section) for section in sections)


def _within(suite: str, section: Section[Any]) -> Section[Any]:
    """Return a section that finds its rows among those of a report card."""
    return dataclasses.replace(
        section,
        name=section_name(suite, section.name),
        rows=None,
        tables=partial(_tables, suite, section),
        figures=partial(_figures, suite, section),
    )


def _tables(suite: str, section: Section[Any], rows: Rows) -> Sequence[Table]:
    found = section.tables(rows_of(rows, suite))
    return [
        dataclasses.replace(table, name=f"{suite}-{table.name}", title=f"{suite}: {table.title}") for table in found
    ]


def _figures(suite: str, section: Section[Any], rows: Rows) -> Mapping[str, FigureData | Figure]:
    return {f"{suite}-{name}": figure for name, figure in section.figures(rows_of(rows, suite)).items()}
