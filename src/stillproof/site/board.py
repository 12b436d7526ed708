"""A leaderboard as a value: all methods with the same data set, number of images, network and protocol."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stillproof.report.answers import Answered
from stillproof.report.rows import images
from stillproof.score.tiers import Compared
from stillproof.site.entry import Beside, Entry, Source
from stillproof.site.slugs import method_page, slug
from stillproof.site.sorts import kind_of, version_of
from stillproof.suites.report_card.measured import Side
from stillproof.suites.report_card.merging import Way
from stillproof.suites.report_card.sides import SIDES
from stillproof.suites.report_card.standing import Placed, ReadRight, Standings, pairs_of

FAIR = "fair"  # the protocol of a suite that knows no other
SaidBeside = Callable[[Side, Answered], Sequence[Beside]]
LabelsOf = Callable[[str, str, int], str]  # of a method's sets on a data set at a size


@dataclass(frozen=True, slots=True)
class BoardKey:
    """What the lines of a board have in common; ``protocol`` is fair or faithful, whosever it is faithful to."""

    dataset: str
    ipc: int
    network: str
    protocol: str = FAIR

    @property
    def page(self) -> str:
        """Return the name of its page."""
        rules = "" if self.protocol == FAIR else f"-{slug(self.protocol)}"
        return f"board-{slug(self.dataset)}-{self.ipc}-{slug(self.network)}{rules}.html"

    @property
    def pairs_page(self) -> str:
        """Return the name of the page on which any two of its methods are compared."""
        return f"compare-{self.page.removeprefix('board-')}"

    @property
    def size(self) -> str:
        """Return its number of images in words."""
        return images(self.ipc)

    @property
    def title(self) -> str:
        """Return what it is about in words."""
        return f"{self.dataset}, {self.size}"


@dataclass(frozen=True, slots=True)
class Line:
    """One method.

    Args:
        method: The method, or the name of an existing set.
        entries: Its numbers by side.
        kind: What its images are.
        labels: What its labels are, where its set is known.
        version: The version of its code, where that is known.
        older: Components that answers stand on which have other numbers by now; such answers are left out.
    """

    method: str
    entries: Mapping[str, Entry]
    kind: str
    labels: str = ""
    version: str = ""
    older: Sequence[str] = ()

    @property
    def page(self) -> str:
        """Return the page of the method."""
        return method_page(self.method)

    @property
    def told(self) -> str:
        """Return what it is, in a few words."""
        labels = self.labels and f"{self.labels} labels"
        return ", ".join(text for text in (self.kind, labels, self.version) if text)


@dataclass(frozen=True)
class Board:
    """A leaderboard; its best methods by accuracy come first, where that is known."""

    key: BoardKey
    sides: Sequence[Side]
    lines: Sequence[Line]
    rules: Mapping[str, str]
    runs: Sequence[str]
    pairs: Sequence[tuple[Side, Sequence[Compared]]]

    @property
    def is_elsewhere(self) -> bool:
        """Say whether all of its numbers were computed elsewhere."""
        return all(entry.source == "elsewhere" for line in self.lines for entry in line.entries.values())


@dataclass
class _Found:
    """What is found for one board: numbers by method and side, runs, and what is left out of each method."""

    sides: dict[str, dict[str, Placed]] = field(default_factory=dict)
    runs: dict[str, None] = field(default_factory=dict)
    state: dict[str, str] = field(default_factory=dict)
    older: dict[str, list[str]] = field(default_factory=dict)

    def has(self, side: Side) -> bool:
        """Say whether any method has a number on a side."""
        return any(side.name in sides for sides in self.sides.values())

    def add(self, side: Side, one: Placed, way: Way) -> None:
        """Enter a number, or what is left out of it."""
        method = str(one.row["method"])
        if one.row.stale:
            self.older.setdefault(method, []).extend(one.row.stale)
            self.sides.setdefault(method, {})
        if one.measured.value is not None:
            self.sides.setdefault(method, {})[side.name] = one
            self.runs |= dict.fromkeys(way.runs_on(str(one.row["dataset"])))
            self.state = {**way.state, **self.state}


def boards_of(
    ways: Sequence[Way],
    standings: Standings,
    *,
    labels: LabelsOf = lambda *_: "",
    beside: SaidBeside = lambda *_: (),
    here: Collection[str] | None = None,
) -> list[Board]:
    """Return all boards; of several ways of asking a suite, that of the newest run counts which has them.

    Args:
        ways: All that is known of each suite.
        standings: The ranks.
        labels: Says what the labels of a method's sets are.
        beside: Says what others say of a row on one side.
        here: The cells that were computed here; all of them, without it.
    """
    found: dict[BoardKey, _Found] = {}
    for side in SIDES:
        for way in (way for way in ways if way.suite == side.suite):
            asked = [(_key(one, way), one) for one in standings.on(side, way.rows)]
            fresh = {key for key, _ in asked if key not in found or not found[key].has(side)}
            for key, one in asked:
                if key in fresh and (one.measured.value is not None or one.row.stale):
                    found.setdefault(key, _Found()).add(side, one, way)
    ordered = sorted(found, key=lambda key: (key.dataset, key.ipc, key.network, key.protocol))
    makes = _Lines(labels, beside, here)
    return [_board(key, found[key], makes, standings.right) for key in ordered if any(found[key].sides.values())]


def _key(one: Placed, way: Way) -> BoardKey:
    row = one.row
    protocol = str(row["protocol"] or way.config.get("protocol") or FAIR).partition(":")[0]
    return BoardKey(str(row["dataset"]), int(row["ipc"]), str(row["home"] or row["network"]), protocol)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Makes the lines of boards."""

    labels: LabelsOf
    beside: SaidBeside
    here: Collection[str] | None

    def line(self, key: BoardKey, method: str, found: _Found) -> Line:
        sides = found.sides[method]
        is_set = any(one.row["set"] for one in sides.values())
        return Line(
            method,
            {name: Entry(one, self._source(one.row), self.beside(one.side, one.row)) for name, one in sides.items()},
            kind_of(method, is_set),
            self.labels(method, key.dataset, key.ipc),
            version_of(method, found.state),
            list(dict.fromkeys(found.older.get(method, ()))),
        )

    def _source(self, row: Answered) -> Source:
        if self.here is None:
            return "here"
        own = sum(cell in self.here for cell in row.cells)
        return "here" if own == len(row.cells) else "both" if own else "elsewhere"


def _board(key: BoardKey, found: _Found, makes: _Lines, right: ReadRight) -> Board:
    every = [one for sides in found.sides.values() for one in sides.values()]
    rules = {
        rule: ", ".join(sorted({str(one.row[rule]) for one in every if one.row[rule]}))
        for rule in ("protocol", "selection", "scale")
    }
    names = {side.name: side for side in SIDES if found.has(side)}
    columns = {name: [sides[name].measured for sides in found.sides.values() if name in sides] for name in names}
    pairs = [(side, compared) for name, side in names.items() if (compared := pairs_of(side, columns[name], right))]
    lines = sorted((makes.line(key, method, found) for method in found.sides), key=_rank)
    return Board(key, list(names.values()), lines, rules, list(found.runs), pairs)


def _rank(line: Line) -> tuple[int, bool, str]:
    entry = line.entries.get("accuracy")
    place = entry.placed.place if entry else None
    return (place.rank if place else len(line.entries) + 1000, not line.entries, line.method)


def datasets_of(boards: Iterable[Board]) -> dict[str, list[Board]]:
    """Return boards by their data set."""
    found: dict[str, list[Board]] = {}
    for board in boards:
        found.setdefault(board.key.dataset, []).append(board)
    return found
