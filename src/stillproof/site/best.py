"""What a board says in a few words: which methods may be the best, and which boards are next to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stillproof.report.rows import RANDOM
from stillproof.site.board import Board, BoardKey, Line
from stillproof.site.entry import Entry
from stillproof.suites.report_card.measured import Side

MOST = 3  # methods, or sides, that are named
LONGEST = 8  # boards of which the front page says who leads


@dataclass(frozen=True, slots=True)
class Best:
    """One side in a few words.

    Args:
        side: The side.
        first: The method with the best mean.
        entry: Its number.
        also: The others that none is shown to be better than.
    """

    side: Side
    first: Line
    entry: Entry
    also: Sequence[Line]

    @property
    def is_shown(self) -> bool:
        """Say whether any method is shown to be better than another."""
        return self.entry.placed.divided


@dataclass(frozen=True, slots=True)
class Headline:
    """A board in one line: its first side, and how many of the others have a leader.

    Args:
        board: The board.
        best: The best of its first side on which methods are ranked.
        random: What random real images reach there; nothing, if they were not asked.
        others: The other sides with a leader.
        undecided: Those on which no method is shown to be better than another.
    """

    board: Board
    best: Best
    random: Entry | None
    others: Sequence[Best]
    undecided: Sequence[Best]


def headlines(boards: Sequence[Board]) -> list[Headline]:
    """Return the boards with most numbers, each in one line, in their own order."""
    known = sorted((board for board in boards if best_of(board)), key=standing, reverse=True)[:LONGEST]
    return [_headline(board) for board in boards if board in known]


def standing(board: Board) -> tuple[int, int, int]:
    """Return how much a board tells: its numbers, its sides with a leader, and its size."""
    numbers = sum(len(line.entries) for line in board.lines)
    return numbers, sum(one.is_shown for one in best_of(board)), board.key.ipc


def _headline(board: Board) -> Headline:
    first, *rest = best_of(board)
    chance = next((line.entries.get(first.side.name) for line in board.lines if line.method == RANDOM), None)
    others, undecided = [one for one in rest if one.is_shown], [one for one in rest if not one.is_shown]
    return Headline(board, first, chance, others, undecided)


def best_of(board: Board) -> list[Best]:
    """Return the best of each side on which methods are ranked."""
    found = []
    for side in board.sides:
        known = [(line, entry) for line in board.lines if (entry := line.entries.get(side.name)) is not None]
        places = [(one.placed.place.rank, line, one) for line, one in known if one.placed.place is not None]
        if places:
            places.sort(key=lambda one: one[0])
            _, first, entry = places[0]
            found.append(Best(side, first, entry, [line for _, line, one in places[1:] if _is_unbeaten(one)]))
    return found


def _is_unbeaten(entry: Entry) -> bool:
    return entry.placed.place is not None and entry.placed.place.best == 1


def neighbours(key: BoardKey, every: Iterable[BoardKey]) -> dict[str, list[tuple[str, BoardKey]]]:
    """Return the boards that differ from one in a single respect, itself among them, by what they differ in."""
    near = [other for other in every if other.dataset == key.dataset]
    found = {
        "images per class": [(str(one.ipc), one) for one in near if one.network == key.network and _like(one, key)],
        "network": [(one.network, one) for one in near if one.ipc == key.ipc and _like(one, key)],
        "protocol": [(one.protocol, one) for one in near if (one.ipc, one.network) == (key.ipc, key.network)],
    }
    return {title: boards for title, boards in found.items() if len(boards) > 1}


def _like(one: BoardKey, other: BoardKey) -> bool:
    return one.protocol == other.protocol
