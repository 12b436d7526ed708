"""Narrows a report to some methods."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from stillproof.core.errors import UnknownName
from stillproof.report.answers import Answered
from stillproof.report.rows import FULL, RANDOM, REAL, Rows
from stillproof.report.tables.table import Table

COMPARED_WITH = (FULL, RANDOM)  # tables measure other methods by these


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods that are shown: as rows have them (``dm:lr=0.1``), or by name alone, with whatever parameters."""

    names: Collection[str] | None = None  # all, if there are none

    def check(self, rows: Iterable[Answered]) -> None:
        """Refuse a method that no row has."""
        known = {str(row["method"]) for row in rows if row["method"]}
        for name in self.names or ():
            if not any(_is(name, method) for method in known):
                raise UnknownName("method", name, known, of="this run")

    def shows(self, about: Mapping[str, Any] | Answered) -> bool:
        """Say whether a row, or a line of a table, is of one of these methods."""
        method = about["method"]
        return self.names is None or any(_is(name, str(method)) for name in self.names)

    def of(self, rows: Rows, sections: Collection[str], also: Collection[str] = ()) -> Rows:
        """Return the rows of these methods in some sections; what others say, which those rest on, stays."""
        return {
            section: [row for row in found if section not in sections or self._stays(row, also)]
            for section, found in rows.items()
        }

    def _stays(self, row: Answered, also: Collection[str]) -> bool:
        return self.shows(row) or row["method"] in also or row["images"] == REAL  # what all methods are measured by

    def lines_of(self, table: Table) -> Table:
        """Return a table with the lines of these methods alone, and those that are of no method."""
        lines = [line for line in table.rows if "method" not in line or self.shows(line)]
        return dataclasses.replace(table, rows=lines)


ALL_METHODS = Methods()


def _is(name: str, method: str) -> bool:
    return name in (method, method.partition(":")[0])
