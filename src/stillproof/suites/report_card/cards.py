"""Several cards, as a session returns them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stillproof.core.spec import Json
from stillproof.report.figures.radar import Radar
from stillproof.report.figures.values import Curves
from stillproof.report.tables.table import Table
from stillproof.suites.report_card.card import ReportCard


@dataclass(frozen=True)
class ReportCards(Sequence[ReportCard]):
    """The cards of one method or set: one for each data set and number of images per class."""

    cards: Sequence[ReportCard]

    def __getitem__(self, place: int) -> ReportCard:  # type: ignore[override]
        """Return one of the cards."""
        return self.cards[place]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.cards)

    def __iter__(self) -> Iterator[ReportCard]:
        """Yield the cards."""
        return iter(self.cards)

    def __repr__(self) -> str:
        """Return the cards as people read them."""
        return "\n".join(map(repr, self.cards))

    def tables(self) -> list[Table]:
        """Return the table of each."""
        return [card.table() for card in self.cards]

    def figures(self) -> dict[str, Radar | Curves]:
        """Return the figures of each by name."""
        return {
            f"card-{card.method}-{card.dataset}-{card.ipc}-{name}": figure
            for card in self.cards
            for name, figure in card.figures().items()
        }

    def as_dict(self) -> Json:
        """Return the cards as JSON values."""
        return {"cards": [card.as_dict() for card in self.cards]}
