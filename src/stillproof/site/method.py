"""What the page of a method shows: what it is, its numbers on every board, and its cards."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stillproof.report.citations import bibliography, papers_of
from stillproof.report.figures.radar import Radar
from stillproof.report.figures.values import Curves
from stillproof.report.tables.text import Shown, shown
from stillproof.site.board import Board, Line
from stillproof.site.sorts import distiller_of
from stillproof.suites.report_card.card import ReportCard
from stillproof.suites.report_card.measured import Side
from stillproof.suites.report_card.sides import SIDES

RAYS = 3  # of a radar, that fewer make no shape of


@dataclass(frozen=True)
class MethodPage:
    """One method.

    Args:
        method: The method, or the name of an existing set.
        cards: Its cards.
        lines: Its line on every board that it is on.
    """

    method: str
    cards: Sequence[ReportCard]
    lines: Sequence[tuple[Board, Line]]

    @property
    def about(self) -> str:
        """Return what the method is, in a sentence; nothing of a set."""
        entry = distiller_of(self.method)
        return "" if entry is None else entry.summary

    @property
    def told(self) -> list[str]:
        """Return what its images and labels are, and the version of its code, each once."""
        return list(dict.fromkeys(line.told for _, line in self.lines if line.told))

    @property
    def citation(self) -> str:
        """Return the BibTeX of a distiller; nothing of a set, or of one without a paper."""
        return "\n".join(bibliography().get(paper, paper) for paper in papers_of(distiller_of(self.method)))

    @property
    def sides(self) -> list[Side]:
        """Return the sides that it has a number on."""
        known = {side.name: side for board, _ in self.lines for side in board.sides}
        names = {name for _, line in self.lines for name in line.entries}
        return [known[name] for name in dict.fromkeys(side.name for side in SIDES) if name in names]

    def lines_of(self, card: ReportCard) -> list[tuple[Board, Line]]:
        """Return its lines with the data set and the size of a card."""
        return [(b, line) for b, line in self.lines if (b.key.dataset, b.key.ipc) == (card.dataset, card.ipc)]

    def table(self, card: ReportCard) -> Shown:
        """Return a card without lines that have no number: its notes say of which sides nothing is known."""
        whole = card.table()
        return shown(dataclasses.replace(whole, rows=[row for row in whole.rows if row.get("value") is not None]))

    def figures(self, card: ReportCard) -> Mapping[str, Radar | Curves]:
        """Return the figures of a card that show something."""
        drawn = card.figures()
        return {name: one for name, one in drawn.items() if not isinstance(one, Radar) or _has_shape(one)}


def _has_shape(radar: Radar) -> bool:
    return any(len(panel.ranked()) >= RAYS for panel in radar.panels)
