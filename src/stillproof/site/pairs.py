"""Any two methods of a board, side by side: both numbers, and whether one is shown to be better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stillproof.score.tiers import Compared
from stillproof.site.board import Board, Line
from stillproof.site.entry import Entry
from stillproof.suites.report_card.measured import Side


@dataclass(frozen=True, slots=True)
class Pair:
    """Two methods on one side; the first stands higher on the board."""

    side: Side
    first: Line
    second: Line
    compared: Compared

    def entry(self, line: Line) -> Entry:
        """Return the number of one of the two."""
        return line.entries[self.side.name]


def pairs_on(board: Board) -> Iterator[Pair]:
    """Yield every pair that was tested, side by side of each two methods, in the order of the board."""
    place = {line.method: number for number, line in enumerate(board.lines)}
    lines = {line.method: line for line in board.lines}
    tested = [(side, compared) for side, pairs in board.pairs for compared in pairs]
    for side, compared in sorted(tested, key=lambda one: sorted((place[one[1].first], place[one[1].second]))):
        first, second = sorted((compared.first, compared.second), key=place.__getitem__)
        yield Pair(side, lines[first], lines[second], compared)
