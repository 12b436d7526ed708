"""Scores by network or by teacher: LRS under each, the place of every method, and whether the order is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stillproof.core.seeds import Seeds
from stillproof.report.answers import Answered
from stillproof.report.dd_ranking.sides import Sides
from stillproof.report.order import order_kept
from stillproof.report.rows import Values, complete
from stillproof.score.agreement import Agreement


@dataclass(frozen=True, slots=True)
class Block:
    """All methods with the same images per class, under everything that the section varies.

    Args:
        row: A row that says what they are about.
        varied: The key that is varied: ``network`` or ``teacher``.
        home: What orders are compared with.
        sides: By method, then by what is varied.
    """

    row: Answered
    varied: str
    home: str
    sides: Mapping[str, Mapping[str, Sides]]

    def names(self) -> list[str]:
        """Return all networks or teachers, that at home first."""
        return list(dict.fromkeys((self.home, *(name for found in self.sides.values() for name in found))))

    def ranks(self, under: str) -> dict[str, int]:
        """Return the place of each method that has a score there; equals share the better one."""
        scores = {method: found[under].lrs() for method, found in self.sides.items() if under in found}
        means = {method: round(score.mean, 12) for method, score in scores.items() if score is not None}
        return {method: 1 + sum(other > mean for other in means.values()) for method, mean in means.items()}

    def agreement(self, other: str) -> Agreement:
        """Return how far the order under ``other`` is that at home, of methods with a score under both."""
        pairs = {method: complete(self._lrs(method, self.home), self._lrs(method, other)) for method in self.sides}
        return order_kept(pairs, Seeds(0).child(self.varied, str(self.row["dataset"]), other))

    def _lrs(self, method: str, under: str) -> Values:
        found = self.sides[method].get(under)
        return [] if found is None else found.lrs_values()


def blocks_of(found: Sequence[Sides], varied: str) -> Iterator[Block]:
    """Yield one block per data set and number of images, and per network where teachers are varied."""
    groups: dict[tuple[object, ...], list[Sides]] = {}
    fixed = [key for key in ("dataset", "network", "ipc") if key != varied]
    for sides in found:
        groups.setdefault(tuple(sides.row[key] for key in fixed), []).append(sides)
    for group in groups.values():
        methods: dict[str, dict[str, Sides]] = {}
        for sides in group:
            methods.setdefault(str(sides.row["method"]), {})[str(sides.row[varied])] = sides
        yield Block(group[0].row, varied, _home(group, varied), methods)


def _home(group: Sequence[Sides], varied: str) -> str:
    """Return what others are compared with: the home network, or else what comes first."""
    names = [str(sides.row[varied]) for sides in group]
    home = str(group[0].row["home"])
    return home if varied == "network" and home in names else names[0]
