"""The tables and figures of a run, whatever its suite."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stillproof.core.components import suites
from stillproof.core.errors import PluginError, StoreError
from stillproof.core.spec import Json
from stillproof.report.accuracy import accuracy_section
from stillproof.report.answers import Answered, answered_rows
from stillproof.report.merged import merged_notes
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
        with self._readable():
            return [
                self._with_notes(section, self.methods.lines_of(table))
                for section in self.sections
                for table in section.tables(rows)
            ]

    def figures(self) -> dict[str, FigureData | Figure]:
        """Return the figures of those sections by name, of all that has an answer by now."""
        suite, rows = self.run.suite, self.methods.of(self.by_section, self._names)
        with self._readable():
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

    def _with_notes(self, section: Section[Any], table: Table) -> Table:
        """Return a table that says which of its answers were not computed here."""
        rows = self.rows if section.sums_up else self.by_section.get(section.name, ())
        shown = [row for row in rows if self.methods.shows(row)]
        merged, left_out = ([store for row in shown for store in getattr(row, of)] for of in ("merged", "left_out"))
        return dataclasses.replace(table, notes=[*table.notes, *merged_notes(merged, left_out)])

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Raise ``StoreError`` where answers of another store make no sense: plug-ins' have a form of their own."""
        merged = dict.fromkeys(store for row in self.rows for store in row.merged)
        try:
            yield
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            if not merged:
                raise
            raise StoreError(
                f"nothing can be shown of this run, which rests on answers of {', '.join(merged)} that make no sense "
                f"({type(error).__name__}: {error}): --own leaves them out."
            ) from error

    @property
    def _names(self) -> set[str]:
        return {section.name for section in self.sections}


def report_of(
    store: Store,
    run: Run,
    sections: Collection[str] | None = None,
    methods: Collection[str] | None = None,
    *,
    own: bool = False,
) -> RunReport:
    """Return the report of a run, from whatever the store holds by now; ``sections`` and ``methods`` narrow it.

    With ``own``, answers that were merged from other stores are left out, and those that rest on them.

    Raises:
        UnknownName: The run did not ask for one of the sections or methods.
    """
    rows, wanted = answered_rows(store, run, own=own), Methods(methods)
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
