"""What others say of a number, beside what was found here: results from elsewhere, and the authors of sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stillproof.report.answers import Answered
from stillproof.report.tables.text import Shown, shown, text_of
from stillproof.report.verification import Verification
from stillproof.site.board import Board, Line
from stillproof.site.entry import Beside, Entry
from stillproof.suites.report_card.measured import Side
from stillproof.suites.report_card.merging import Way
from stillproof.suites.report_card.sides import SIDES


class Claims:
    """What results from elsewhere claim, by the question: the side, and the cells that answer it."""

    def __init__(self, ways: Sequence[Way]) -> None:
        """Take the ways of those results alone."""
        self._known: dict[tuple[str, str, tuple[str, ...]], Beside] = {}
        for way in ways:
            for side in (side for side in SIDES if side.suite == way.suite):
                for one in side.measured(way.rows):
                    if one.value is not None and one.row.cells:
                        said = Beside("claimed", text_of(one.value), f"claimed by {', '.join(way.runs)}")
                        self._known.setdefault(_question(side, one.row), said)

    def beside(self, side: Side, row: Answered) -> list[Beside]:
        """Return what is claimed of a row on one side."""
        found = self._known.get(_question(side, row))
        return [] if found is None else [found]


def _question(side: Side, row: Answered) -> tuple[str, str, tuple[str, ...]]:
    return side.suite, side.key, tuple(row.cells[:1])


@dataclass(frozen=True, slots=True)
class Claimed:
    """Results from elsewhere, and what became of them here.

    Args:
        name: What they are called.
        about: What they are, in a line.
        here: The numbers that were computed here as well, beside the claims; none if none were.
        command: The command that computes them again.
    """

    name: str
    about: str
    here: Verification | None
    command: str

    def table(self) -> Shown:
        """Return the claims beside what was found here as text."""
        assert self.here is not None
        return shown(self.here.table())


def reported(boards: Sequence[Board]) -> Iterator[tuple[Board, Line, Entry, Beside]]:
    """Yield every number of which the author of a set reports something."""
    for board in boards:
        for line in board.lines:
            for entry in line.entries.values():
                yield from ((board, line, entry, one) for one in entry.beside if one.word == "reported")
