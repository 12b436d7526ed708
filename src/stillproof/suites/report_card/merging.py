"""What a store knows of each suite, whichever runs asked for it: rows of all runs, merged by what was asked.

Two runs ask a suite in the same way where their configurations agree in all but what the questions are about, such as
methods and sizes. Rows of one way that say the same of themselves are the same question if the cells of their first
seeds are: then the longer one has the answers of both. Where they are not, code or data are others, and no mean is
ever taken over both.
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

SUITE = "report-card"
ABOUT = ("dataset", "methods", "ipc", "seeds", "sections")  # parameters that say what questions are about
Placed: TypeAlias = tuple[str, Answered]  # the section of a row, and the row
NOTED = ("set", "caveat")  # keys that do not tell questions apart


@dataclass
class Way:
    """One way of asking a suite, and all that is known of it.

    Args:
        suite: The suite.
        config: Its configuration, without what questions are about.
        runs: The runs that asked in this way, the newest first.
        rows: All rows, by section.
        others: How many rows are left out, because a newer run asks in the same words with other code or data.
    """

    suite: str
    config: Json
    runs: list[str] = field(default_factory=list)
    rows: dict[str, list[Answered]] = field(default_factory=dict)
    others: int = 0

    def add(self, run: str, section: str, row: Answered) -> None:
        """Enter a row of a run, which is older than those whose rows came before."""
        if run not in self.runs:
            self.runs.append(run)
        known = self.rows.setdefault(section, [])
        for place, there in enumerate(known):
            if _words(there) == _words(row):
                if not _same_question(there, row):
                    self.others += 1
                else:
                    known[place] = _joined(there, row)
                return
        known.append(row)


def ways_of(store: Store, runs: Iterable[Run] | None = None) -> list[Way]:
    """Return every way in which suites of a report card were asked, that of the newest run first.

    Results that were computed elsewhere stand behind all runs of the store; ``runs`` takes these alone.
    """
    own = [(called(run), run.suite, run.config, answered_rows(store, run)) for run in _asked(store, runs)]
    others = [] if runs is not None else store.bundles.all()
    own += [(f"results {one.name}", one.suite, one.config, bundle_rows(one)) for one in others if _has_part(one.suite)]
    found: dict[str, Way] = {}
    for name, whole, given, every in own:
        for suite, config, rows in _parts(whole, given, every):
            asked = {key: value for key, value in config.items() if key not in ABOUT}
            way = found.setdefault(f"{suite} {canonical_json(asked)}", Way(suite, asked))
            for section, row in rows:
                way.add(name, section, row)
    return list(found.values())


def _asked(store: Store, runs: Iterable[Run] | None) -> list[Run]:
    return [run for run in (store.results.runs() if runs is None else runs) if _has_part(run.suite)]


def _has_part(suite: str) -> bool:
    return suite == SUITE or suite in SECTIONS


def _parts(suite: str, config: Json, rows: Sequence[Answered]) -> Iterator[tuple[str, Json, list[Placed]]]:
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


def _words(row: Answered) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((key, str(value)) for key, value in row.keys.items() if key not in (*NOTED, "section")))


def _same_question(one: Answered, other: Answered) -> bool:
    return tuple(one.cells[:1]) == tuple(other.cells[:1])


def _joined(newer: Answered, older: Answered) -> Answered:
    """Return a question with the answers of all of its seeds, those of the newer run first."""
    longer = newer if len(newer.cells) >= len(older.cells) else older
    seeds = zip_longest(newer.results, older.results)
    results = [result if result is not None else other for result, other in seeds]
    return dataclasses.replace(longer, keys=newer.keys, results=results, read=newer.read or older.read)
