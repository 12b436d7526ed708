"""What one table shows: the lines of one board, or those of all boards of a data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stillproof.site.board import Board, Line
from stillproof.site.entry import Entry, span
from stillproof.site.slugs import slug
from stillproof.suites.report_card.measured import Side
from stillproof.suites.report_card.sides import SIDES

VARIES = {"ipc": "per class", "network": "network", "protocol": "protocol"}  # what boards of a data set may differ in


@dataclass(frozen=True)
class View:
    """The lines of some boards of one data set as one table."""

    title: str
    boards: Sequence[Board]

    @property
    def dataset(self) -> str:
        """Return the data set that it is about."""
        return self.boards[0].key.dataset

    @property
    def page(self) -> str:
        """Return the name of its page."""
        return self.boards[0].key.page if len(self.boards) == 1 else f"all-{slug(self.dataset)}.html"

    @property
    def sides(self) -> list[Side]:
        """Return the sides that any board has."""
        known = {side.name: side for board in self.boards for side in board.sides}
        return [known[name] for name in dict.fromkeys(side.name for side in SIDES) if name in known]

    @property
    def varies(self) -> dict[str, str]:
        """Return the columns in which its boards differ, with their titles."""
        return {key: title for key, title in VARIES.items() if len({getattr(b.key, key) for b in self.boards}) > 1}

    @property
    def alike(self) -> str:
        """Return what all of its lines have in common, in words."""
        told = [] if "network" in self.varies else [f"network {self.boards[0].key.network}"]
        said: dict[str, dict[str, None]] = {}
        for board in self.boards:
            for rule, words in board.rules.items():
                said.setdefault(rule, {}).update(dict.fromkeys(word for word in words.split(", ") if word))
        told += [f"{rule} {' and '.join(words)}" for rule, words in said.items() if words]
        text = ", ".join(told)
        return text[:1].upper() + text[1:]

    def lines(self) -> Iterator[tuple[Board, Line]]:
        """Yield every line with its board."""
        return ((board, line) for board in self.boards for line in board.lines)

    def scales(self) -> dict[str, tuple[float, float]]:
        """Return the ends of each column: of its numbers and of their intervals."""
        return {side.name: self._scale(side.name) for side in self.sides}

    def _scale(self, side: str) -> tuple[float, float]:
        ends: list[float] = []
        for _, line in self.lines():
            if (found := _span_of(line.entries.get(side))) is not None:
                ends += [found[0], *(found[1] or ())]
        return (min(ends), max(ends)) if ends else (0.0, 0.0)


def _span_of(entry: Entry | None) -> tuple[float, tuple[float, float] | None] | None:
    return None if entry is None else span(entry.value)
