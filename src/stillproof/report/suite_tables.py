"""The tables of a run, whatever its suite."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from stillproof.core.errors import UnknownName
from stillproof.report.accuracy_table import accuracy_table
from stillproof.report.answers import Answered, answered_rows
from stillproof.report.dc_bench.rows import by_section
from stillproof.report.dc_bench.tables import TABLES
from stillproof.report.table import Table
from stillproof.report.tables import accuracy_lines
from stillproof.store.records import Run
from stillproof.store.store import Store

DC_BENCH = "dc-bench"


def has_sections(run: Run) -> bool:
    """Say whether a run has several tables; one of any other suite has the rows of one accuracy table."""
    return run.suite == DC_BENCH


def sections_of(run: Run) -> list[str]:
    """Return the sections that a run asked for; one without any is its own."""
    if not has_sections(run):
        return [run.suite]
    asked = {row["section"] for row in run.rows}
    return [section for section in TABLES if section in asked]


def chosen_sections(run: Run, wanted: Collection[str] | None) -> list[str]:
    """Return the sections to show: all, or those that are wanted.

    Raises:
        UnknownName: The run did not ask for one of them.
    """
    known = sections_of(run)
    for name in wanted or ():
        if name not in known:
            raise UnknownName("section", name, known)
    return known if wanted is None else [section for section in known if section in wanted]


def tables_of(store: Store, run: Run, sections: Collection[str] | None = None) -> list[Table]:
    """Return the tables of a run, from whatever the store holds by now; ``sections`` narrows them."""
    chosen = chosen_sections(run, sections)
    if not has_sections(run):
        return [accuracy_table(run.suite, accuracy_lines(store, run))] if chosen else []
    return section_tables(answered_rows(store, run), chosen)


def section_tables(rows: Sequence[Answered], sections: Collection[str]) -> list[Table]:
    """Return the tables of some sections of a run that has several."""
    found = by_section(rows)
    return [table for section in sections for table in TABLES[section](found)]
