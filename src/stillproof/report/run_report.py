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
from stillproof.report.methods import ALL_METHODS, COMPARED_WITH, Methods
from stillproof.report.rows import Rows, by_section
from stillproof.report.section import Section, sections_named
from stillproof.report.tables.formats import to_json
from stillproof.report.tables.table import Table
from stillproof.store.records import Run
from stillproof.store.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stillproof.report.figures.values import FigureData

log = logging.getLogger("stillproof")

ACCURACIES_ALONE = "its accuracies are shown, but not its own tables and figures"


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run with the answers that there are by now.

    Args:
        run: The run.
        rows: All of its rows.
        by_section: The same, as its sections show them.
        sections: Those that are shown.
        methods: Those that are shown.
    """

    run: Run
    rows: Sequence[Answered]
    by_section: Rows
    sections: Sequence[Section[Any]]
    methods: Methods = ALL_METHODS

    def tables(self) -> list[Table]:
        """Return the tables of all sections that are shown."""
        rows = self.methods.of(self.by_section, self._names, COMPARED_WITH)
        return [self.methods.lines_of(table) for section in self.sections for table in section.tables(rows)]

    def figures(self) -> dict[str, FigureData | Figure]:
        """Return the figures of those sections by name, of all that has an answer by now."""
        suite, rows = self.run.suite, self.methods.of(self.by_section, self._names)
        found = [item for section in self.sections for item in section.figures(rows).items()]
        return {name if name == suite else f"{suite}-{name}": figure for name, figure in found}

    def as_dict(self) -> Json:
        """Return the rows and the tables that are shown as JSON values."""
        rows = [row.as_dict() for row in self.rows if self.methods.shows(row)]
        about = {"id": self.run.id, "hash": self.run.hash, "name": self.run.name, "note": self.run.note}
        tables = [to_json(table) for table in self.tables()]
        sections = [section.as_dict() for section in self.sections]
        known = {"suite": self.run.suite, "run": about, "config": self.run.config}
        return known | {"sections": sections, "rows": rows, "tables": tables}

    @property
    def _names(self) -> set[str]:
        return {section.name for section in self.sections}


def report_of(
    store: Store, run: Run, sections: Collection[str] | None = None, methods: Collection[str] | None = None
) -> RunReport:
    """Return the report of a run, from whatever the store holds by now; ``sections`` and ``methods`` narrow it.

    Raises:
        UnknownName: The run did not ask for one of the sections or methods.
    """
    rows, wanted = answered_rows(store, run), Methods(methods)
    wanted.check(rows)
    found, asked = _asked(run.suite, rows)
    if sections is not None:
        asked = sections_named(asked, sections)
    elif summing_up := [section for section in asked if section.sums_up]:
        asked = summing_up
    if methods is not None:
        asked = [one for one in asked if one.sums_up or any(map(wanted.shows, found[one.name]))]
    return RunReport(run, rows, found, asked, wanted)


def sections_of(suite: str) -> Sequence[Section[Any]]:
    """Return the sections of a suite; one that declares none has the usual one."""
    return _reports_of(suite) or (accuracy_section(suite),)


def _asked(suite: str, rows: Sequence[Answered]) -> tuple[Rows, list[Section[Any]]]:
    """Return the rows by section, and the sections that have any; where there is none, all rows are one section."""
    known = _reports_of(suite)
    found = by_section(rows, known[0].name) if known else {}
    asked = [section for section in known if section.sums_up or section.name in found]
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
