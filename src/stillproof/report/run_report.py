"""The tables and figures of a run, whatever its suite."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stillproof.core.components import suites
from stillproof.core.errors import PluginError
from stillproof.core.spec import Json
from stillproof.report.accuracy import accuracy_section
from stillproof.report.answers import Answered, answered_rows
from stillproof.report.rows import Rows, by_section
from stillproof.report.section import Section, sections_named
from stillproof.report.tables.formats import to_json
from stillproof.report.tables.table import Table
from stillproof.store.records import Run
from stillproof.store.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger("stillproof")

ACCURACIES_ALONE = "its accuracies are shown, but no tables and figures of its own"


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run with the answers that there are by now.

    Args:
        run: The run.
        rows: All of its rows.
        by_section: The same, as its sections show them.
        sections: Those that are shown.
    """

    run: Run
    rows: Sequence[Answered]
    by_section: Rows
    sections: Sequence[Section[Any]]

    def tables(self) -> list[Table]:
        """Return the tables of all sections that are shown."""
        return [table for section in self.sections for table in section.tables(self.by_section)]

    def figures(self) -> dict[str, Figure]:
        """Return the figures of those sections by name, of all that has an answer by now."""
        suite = self.run.suite
        drawn = [item for section in self.sections for item in section.figures(self.by_section).items()]
        return {name if name == suite else f"{suite}-{name}": figure for name, figure in drawn}

    def as_dict(self) -> Json:
        """Return all rows, and the tables that are shown, as JSON values."""
        rows, tables = [row.as_dict() for row in self.rows], [to_json(table) for table in self.tables()]
        return {"suite": self.run.suite, "config": self.run.config, "rows": rows, "tables": tables}


def report_of(store: Store, run: Run, sections: Collection[str] | None = None) -> RunReport:
    """Return the report of a run, from whatever the store holds by now; ``sections`` narrows it.

    Raises:
        UnknownName: The run did not ask for one of the sections.
    """
    rows = answered_rows(store, run)
    found, asked = _asked(run.suite, rows)
    return RunReport(run, rows, found, asked if sections is None else sections_named(asked, sections))


def _asked(suite: str, rows: Sequence[Answered]) -> tuple[Rows, list[Section[Any]]]:
    """Return the rows by section, and the sections that have any; where there is none, all rows are one section."""
    known = _reports_of(suite)
    found = by_section(rows, known[0].name) if known else {}
    asked = [section for section in known if section.name in found]
    return (found, asked) if asked else ({suite: rows}, [accuracy_section(suite)])


def _reports_of(suite: str) -> Sequence[Section[Any]]:
    """Return the sections that a suite declares; one that is not here, or cannot be imported, has none."""
    if suite not in suites.entries():
        log.warning("suite %r is not installed here (`--plugin FILE` brings it): %s.", suite, ACCURACIES_ALONE)
        return ()
    try:
        sections: Sequence[Section[Any]] = getattr(suites.get(suite), "reports", ())
    except PluginError as error:
        log.warning("%s Therefore, %s.", error, ACCURACIES_ALONE)
        return ()
    return sections
