"""What a store knows of each suite, whichever runs asked for it: rows of all runs, merged by what was asked.

Two runs ask a suite in the same way where their configurations agree in all but what the questions are about, such as
methods and sizes, and where no component and no data set is another one. Rows of one way that say the same of
themselves are the same question if the cells of their first seeds are: then the longer one has the answers of both.
Where they are not, no mean is ever taken over both, and nothing is ranked across two ways.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, TypeAlias

from stillproof.core.components import suites
from stillproof.core.errors import StillproofError
from stillproof.core.spec import Json, canonical_json
from stillproof.report.answers import Answered, answered_rows
from stillproof.report.bundle_rows import bundle_rows
from stillproof.report.runs import called
from stillproof.report.section import BETWEEN
from stillproof.store.records import Run
from stillproof.store.store import Store
from stillproof.suites.report_card.parts import SECTIONS
from stillproof.suites.report_card.states import State, contradict, states_here, states_there

SUITE = "report-card"
ABOUT = ("dataset", "methods", "ipc", "seeds", "sections")  # parameters that say what questions are about
InSection: TypeAlias = tuple[str, Answered]  # the section of a row, and the row
Words: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]  # a section, and what a row of it says of itself
_Run: TypeAlias = tuple[str, str, Json, list[Answered], list[State]]  # its name, suite, configuration, rows and code
RESULTS = "results "  # what those from elsewhere are called by, before their name
NOTED = ("set", "caveat")  # keys that do not tell questions apart


@dataclass
class Way:
    """One way of asking a suite, and all that is known of it.

    Args:
        suite: The suite.
        config: Its configuration, without what questions are about.
        runs: The runs that asked in this way, the newest first.
        rows: All rows, by section.
        left_out: Rows that are asked like these, and stand on other code or data.
        state: The code of every component behind the rows, and the content of all data.
    """

    suite: str
    config: Json
    runs: list[str] = field(default_factory=list)
    rows: dict[str, list[Answered]] = field(default_factory=dict)
    left_out: list[Answered] = field(default_factory=list)
    state: dict[str, str] = field(default_factory=dict)
    _about: dict[str, set[str]] = field(default_factory=dict)  # the data sets that each run asked about
    _places: dict[Words, int] = field(default_factory=dict)  # of rows in their sections

    def add(self, run: str, section: str, row: Answered) -> None:
        """Enter a row of a run, which is older than those whose rows came before."""
        if run not in self.runs:
            self.runs.append(run)
        self._about.setdefault(run, set()).add(str(row["dataset"]))
        known = self.rows.setdefault(section, [])
        place = self._places.setdefault(_words(section, row), len(known))
        if place == len(known):
            known.append(row)
        elif _same_question(known[place], row):
            known[place] = _joined(known[place], row)
        elif _is_outgrown(known[place]):  # newer by its run, and older by its code
            self.left_out.append(known[place])
            known[place] = row
        else:
            self.left_out.append(row)

    def runs_on(self, dataset: str) -> list[str]:
        """Return the runs that asked about a data set, the newest first."""
        return [run for run in self.runs if dataset in self._about.get(run, (dataset,))]


@dataclass(frozen=True, slots=True)
class _Heard:
    """A row of a run, and what it stands on; ``place`` counts runs from the newest on."""

    place: int
    run: str
    section: str
    row: Answered
    state: State


def ways_of(store: Store, runs: Iterable[Run] | None = None) -> list[Way]:
    """Return every way in which suites of a report card were asked, that of the newest run first.

    Results that were computed elsewhere stand behind all runs of the store; ``runs`` takes these alone.
    """
    own = ((called(run), run.suite, run.config, answered_rows(store, run)) for run in _asked(store, runs))
    every = [(*run, states_here(store, run[-1])) for run in own]
    return _merged(every if runs is not None else [*every, *_elsewhere(store)])


def ways_elsewhere(store: Store) -> list[Way]:
    """Return the ways of results alone that were computed elsewhere: what they claim."""
    return _merged(_elsewhere(store))


def _elsewhere(store: Store) -> list[_Run]:
    others = [one for one in store.bundles.all() if _has_part(one.suite)]
    return [(f"{RESULTS}{one.name}", one.suite, one.config, bundle_rows(one), states_there(one)) for one in others]


def _merged(every: Sequence[_Run]) -> list[Way]:
    found: dict[str, tuple[str, Json, list[_Heard]]] = {}
    for place, (name, whole, given, rows, states) in enumerate(every):
        stands_on = {id(row): state for row, state in zip(rows, states, strict=True)}
        for suite, config, placed in _parts(whole, given, rows):
            asked = {key: value for key, value in config.items() if key not in ABOUT}
            _, _, heard = found.setdefault(f"{suite} {canonical_json(asked)}", (suite, asked, []))
            heard += [_Heard(place, name, section, row, stands_on[id(row)]) for section, row in placed]
    ways = [way for suite, config, heard in found.values() for way in _ways_in(suite, config, heard)]
    return [way for _, way in sorted(ways, key=lambda way: way[0])]


def _ways_in(suite: str, config: Json, heard: Sequence[_Heard]) -> Iterator[tuple[int, Way]]:
    """Yield the rows of one configuration as far as they go together, and how old the first of them is.

    The newest row decides, and rows that it says nothing of may stand in several ways.
    """
    waiting = list(heard)
    while waiting:
        first = waiting[0]
        way = Way(suite, config, state=dict(first.state))
        kept = set()
        for one in heard:
            if contradict(way.state, one.state):
                way.left_out.append(one.row)
            else:
                way.state |= one.state
                way.add(one.run, one.section, one.row)
                kept.add(id(one))
        waiting = [one for one in waiting if id(one) not in kept]
        yield first.place, way


def _asked(store: Store, runs: Iterable[Run] | None) -> list[Run]:
    return [run for run in (store.results.runs() if runs is None else runs) if _has_part(run.suite)]


def _has_part(suite: str) -> bool:
    return suite == SUITE or suite in SECTIONS


def _parts(suite: str, config: Json, rows: Sequence[Answered]) -> Iterator[tuple[str, Json, list[InSection]]]:
    """Yield the suites of a run, with the configuration of each and its rows by section."""
    if suite != SUITE:
        yield suite, config, [(str(row["section"] or suite), row) for row in rows]
        return
    placed = [(str(row["section"]).partition(BETWEEN), row) for row in rows]
    for name, own in _configs(config):
        yield name, own, [(section, row) for (whose, _, section), row in placed if whose == name]


def _configs(config: Json) -> list[tuple[str, Json]]:
    try:
        card: Any = suites.build(SUITE, config)
        parts = list(card.parts())
    except StillproofError:  # asked by another version, which had other parameters
        return []
    return [(name, suites.spec(part).as_dict()["params"]) for name, part in parts]


def _words(section: str, row: Answered) -> Words:
    told = ((key, str(value)) for key, value in row.keys.items() if key not in (*NOTED, "section"))
    return section, tuple(sorted(told))


def _same_question(one: Answered, other: Answered) -> bool:
    return tuple(one.cells[:1]) == tuple(other.cells[:1])


def _is_outgrown(row: Answered) -> bool:
    return bool(row.stale) and row.missing == len(row.results)


def _joined(newer: Answered, older: Answered) -> Answered:
    """Return a question with the answers of all of its seeds, those of the newer run first."""
    longer = newer if len(newer.cells) >= len(older.cells) else older
    seeds = zip_longest(newer.results, older.results)
    results = [result if result is not None else other for result, other in seeds]
    missing = results.count(None)
    adds = any(result is None and other is not None for result, other in zip_longest(newer.results, older.results))
    return dataclasses.replace(
        longer,
        keys=newer.keys,
        results=results,
        read=newer.read or older.read,
        waiting=min(longer.waiting, missing),
        reasons=longer.reasons if missing else (),
        merged=[*newer.merged, *(older.merged if adds else ())],
    )
