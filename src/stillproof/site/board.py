"""A leaderboard as a value: all methods with the same data set, number of images and network, on every side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stillproof.report.rows import images
from stillproof.report.tables.table import Difference, Seconds, Value
from stillproof.report.tables.text import text_of
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary
from stillproof.score.tiers import Compared
from stillproof.site.slugs import method_page, slug
from stillproof.suites.report_card.measured import Side
from stillproof.suites.report_card.merging import Way
from stillproof.suites.report_card.sides import SIDES
from stillproof.suites.report_card.standing import Placed, ReadRight, Standings, pairs_of


@dataclass(frozen=True, slots=True)
class BoardKey:
    """What the lines of a board have in common."""

    dataset: str
    ipc: int
    network: str

    @property
    def page(self) -> str:
        """Return the name of its page."""
        return f"board-{slug(self.dataset)}-{self.ipc}-{slug(self.network)}.html"

    @property
    def pairs_page(self) -> str:
        """Return the name of the page on which any two of its methods are compared."""
        return f"compare-{self.page.removeprefix('board-')}"

    @property
    def title(self) -> str:
        """Return what it is about in words."""
        return f"{self.dataset}, {images(self.ipc)}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One number on a board.

    Args:
        placed: The number with its rank.
        low: The least of its column, intervals included: where the drawing begins.
        high: The most.
    """

    placed: Placed
    low: float
    high: float

    @property
    def value(self) -> Value:
        """Return the number."""
        return self.placed.measured.value

    @property
    def text(self) -> str:
        """Return it without its interval."""
        return text_of(self.value).partition(" (")[0]

    @property
    def interval(self) -> str:
        """Return the interval as text, empty if there is none."""
        return text_of(self.value).partition(" (")[2].removesuffix(")")

    @property
    def ends(self) -> tuple[float, float, float] | None:
        """Return the mean and both ends as shares of the column's width; nothing without an interval."""
        mean, ends = span(self.value) or (0.0, None)
        if ends is None or self.high <= self.low:
            return None
        width = self.high - self.low
        return (mean - self.low) / width, (ends[0] - self.low) / width, (ends[1] - self.low) / width


@dataclass(frozen=True, slots=True)
class Line:
    """One method."""

    method: str
    is_set: bool
    entries: Mapping[str, Entry]  # by side

    @property
    def page(self) -> str:
        """Return the page of the method."""
        return method_page(self.method)


@dataclass(frozen=True)
class Board:
    """A leaderboard; its best methods by accuracy come first, where that is known."""

    key: BoardKey
    sides: Sequence[Side]
    lines: Sequence[Line]
    rules: Mapping[str, str]
    runs: Sequence[str]
    pairs: Sequence[tuple[Side, Sequence[Compared]]]


def boards_of(ways: Sequence[Way], standings: Standings) -> list[Board]:
    """Return all boards; of several ways of asking a suite, that of the newest run counts which has them."""
    found: dict[BoardKey, dict[str, dict[str, Placed]]] = {}
    runs: dict[BoardKey, list[str]] = {}
    for side in SIDES:
        for way in (way for way in ways if way.suite == side.suite):
            asked = standings.on(side, way.rows)
            known = {_key(one) for one in asked if one.measured.value is not None}
            fresh = {key for key in known if not any(side.name in sides for sides in found.get(key, {}).values())}
            for one in asked:
                if (key := _key(one)) in fresh and one.measured.value is not None:
                    found.setdefault(key, {}).setdefault(str(one.row["method"]), {})[side.name] = one
                    runs.setdefault(key, []).extend(way.runs)
    ordered = sorted(found, key=lambda key: (key.dataset, key.ipc, key.network))
    return [_board(key, found[key], runs[key], standings.right) for key in ordered]


def span(value: Value) -> tuple[float, tuple[float, float] | None] | None:
    """Return a number and its interval, if it is one."""
    match value:
        case Summary():
            return value.mean, value.ci95
        case Difference(summary):
            return summary.mean, summary.ci95
        case Estimate():
            return None if value.value is None else (value.value, value.ci95)
        case Seconds(seconds):
            return seconds, None
        case _:
            return None


def _key(one: Placed) -> BoardKey:
    row = one.row
    return BoardKey(str(row["dataset"]), int(row["ipc"]), str(row["home"] or row["network"]))


def _board(key: BoardKey, found: Mapping[str, Mapping[str, Placed]], runs: Iterable[str], right: ReadRight) -> Board:
    names = {side.name: side for side in SIDES if any(side.name in sides for sides in found.values())}
    scales = {name: _scale([sides[name] for sides in found.values() if name in sides]) for name in names}
    lines = [
        Line(
            method,
            any(one.row["set"] for one in sides.values()),
            {name: Entry(one, *scales[name]) for name, one in sides.items()},
        )
        for method, sides in found.items()
    ]
    every = [one for sides in found.values() for one in sides.values()]
    rules = {
        rule: ", ".join(sorted({str(one.row[rule]) for one in every if one.row[rule]}))
        for rule in ("protocol", "selection", "scale")
    }
    columns = {name: [sides[name].measured for sides in found.values() if name in sides] for name in names}
    pairs = [(side, pairs_of(side, columns[name], right)) for name, side in names.items()]
    told = [(side, compared) for side, compared in pairs if compared]
    return Board(key, list(names.values()), sorted(lines, key=_rank), rules, list(dict.fromkeys(runs)), told)


def _scale(column: Sequence[Placed]) -> tuple[float, float]:
    """Return the ends of a column: of its numbers and of their intervals."""
    ends: list[float] = []
    for one in column:
        if (found := span(one.measured.value)) is not None:
            ends += [found[0], *(found[1] or ())]
    return (min(ends), max(ends)) if ends else (0.0, 0.0)


def _rank(line: Line) -> tuple[int, str]:
    entry = line.entries.get("accuracy")
    place = entry.placed.place if entry else None
    return (place.rank if place else len(line.entries) + 1000, line.method)
