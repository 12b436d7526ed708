"""What cells ask apart from their seeds, so that answers to one question are found in several runs and stores.

A cell is named by all that decides its answer, its seed included, so that no two repetitions have the same name. Two
runs ask the same where they agree in everything else: components with their versions, generations and parameters, code
of one's own, data, and whatever they stand on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from stillproof.core.spec import Json, digest
from stillproof.report.identities import components_in
from stillproof.store.results import Question
from stillproof.store.store import Store

SEED = "seed"  # what stages call it in their specs
PARAMS = "params"  # of a component; a seed among them is a parameter like any other
CODE = ("generations", "edited", "own")  # what of its code names a component
DATA = ("test", "data", "heldout")  # what specs call the ids of data
_ID = re.compile(r"[0-9a-f]{64}")  # of an artifact or cell
Components = Mapping[str, Json]  # by kind and name, as in ``attacks/pgd``: version, and what of its code names it


def asked_of(store: Store, cells: Iterable[str]) -> dict[str, str]:
    """Return what each of those of the cells that are there asks apart from seeds: a sha256, in hexadecimal.

    It does not say whether repetitions share a distilled set or have one each: the protocol of a row does.
    """
    asked = list(cells)
    behind = _Behind.of(store, asked)
    return {cell: behind.asks(cell) for cell in asked if cell in behind.questions}


def components_of(store: Store, cells: Iterable[str]) -> dict[str, Components]:
    """Return every component that the answers of those of the cells that are there stand on, directly or not."""
    asked = list(cells)
    behind = _Behind.of(store, asked)
    return {cell: behind.stands_on(cell) for cell in asked if cell in behind.questions}


def data_of(store: Store, cells: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the ids of all data that the answers of those of the cells that are there stand on, directly or not."""
    asked = list(cells)
    behind = _Behind.of(store, asked)
    return {cell: behind.data(cell) for cell in asked if cell in behind.questions}


def data_in(spec: Json) -> Iterator[str]:
    """Yield the ids of data that a spec names, which have a hash of the content; artifacts are no data."""
    return (spec[key] for key in DATA if isinstance(spec.get(key), str) and not _ID.fullmatch(spec[key]))


@dataclass
class _Behind:
    """Cells, and all that they stand on.

    Args:
        questions: What each of them asks.
        made: The artifacts that they name by content and that were made in this store: by which cell, and as what of
            its answer. Where each repetition has a set of its own, their contents differ, and what made them does not.
    """

    questions: dict[str, Question] = field(default_factory=dict)
    made: dict[str, tuple[str, str]] = field(default_factory=dict)
    _asked: dict[str, str] = field(default_factory=dict)
    _stands_on: dict[str, Components] = field(default_factory=dict)
    _data: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store, cells: Iterable[str]) -> _Behind:
        found, wanted = cls(), list(cells)
        while wanted:
            new = store.results.behind(wanted)
            found.questions |= new
            named = {read for question in new.values() for read in question.reads} - found.questions.keys()
            makers = store.makers_of(sorted(named))
            records = store.results.get_many(sorted(set(makers.values())))
            for artifact, maker in makers.items():
                if (place := _place(records[maker].result, artifact)) is not None:
                    found.made[artifact] = (maker, place)
            wanted = sorted({maker for maker, _ in found.made.values()} - found.questions.keys())
        return found

    def asks(self, cell: str) -> str:
        """Return what a cell asks."""
        if cell not in self._asked:
            self._asked[cell] = cell  # what leads back to itself is left as it is
            self._asked[cell] = digest(self._without_seeds(self.questions[cell].spec))
        return self._asked[cell]

    def stands_on(self, cell: str) -> Components:
        """Return the components that a cell stands on; of one that is there in two states, the older."""
        if cell not in self._stands_on:
            self._stands_on[cell] = {}
            own = [{f"{kind}/{name}": _code(known)} for kind, name, known in components_in(self.questions[cell].spec)]
            self._stands_on[cell] = _joined([*own, *map(self.stands_on, self._read_by(cell))])
        return self._stands_on[cell]

    def data(self, cell: str) -> frozenset[str]:
        """Return the ids of the data that a cell stands on."""
        if cell not in self._data:
            self._data[cell] = frozenset()
            own = frozenset(data_in(self.questions[cell].spec))
            self._data[cell] = own.union(*map(self.data, self._read_by(cell)))
        return self._data[cell]

    def _read_by(self, cell: str) -> Iterator[str]:
        for read in sorted(self.questions[cell].reads):
            if read in self.questions:
                yield read
            elif read in self.made:
                yield self.made[read][0]

    def _without_seeds(self, value: Any, *, is_parameter: bool = False) -> Any:
        """Return a part of a spec without seeds, and with what it refers to in the place of ids."""
        if isinstance(value, dict):
            kept = {key: inner for key, inner in value.items() if key != SEED or is_parameter}
            return {
                key: self._without_seeds(inner, is_parameter=is_parameter or key == PARAMS)
                for key, inner in kept.items()
            }
        if isinstance(value, list):
            return [self._without_seeds(inner, is_parameter=is_parameter) for inner in value]
        if isinstance(value, str) and value in self.questions:
            return self.asks(value)
        if isinstance(value, str) and value in self.made:
            maker, place = self.made[value]
            return f"{self.asks(maker)}/{place}"
        return value


def _place(value: Any, artifact: str, place: str = "") -> str | None:
    """Return where in an answer an artifact is, as in ``models/30``; nothing if it is not there."""
    if value == artifact:
        return place.removeprefix("/")
    if isinstance(value, dict):
        found = (_place(inner, artifact, f"{place}/{key}") for key, inner in value.items())
        return next((one for one in found if one is not None), None)
    return None


def _code(known: Mapping[str, Any]) -> Json:
    """Return what of a component's identity its code decides."""
    return {"version": known.get("version", 1)} | {key: known[key] for key in CODE if key in known}


def _joined(found: Iterable[Components]) -> Components:
    joined: dict[str, Json] = {}
    for components in found:
        for name, code in components.items():
            joined[name] = _older(joined[name], code) if name in joined else code
    return dict(sorted(joined.items()))


def _older(one: Json, other: Json) -> Json:
    """Return what is older of two states of a component: whatever has risen since either, has risen since both."""
    files = one.get("generations", {}), other.get("generations", {})
    both = {file: min(files[0][file], files[1][file]) for file in files[0].keys() & files[1].keys()}
    code = {key: value for key, value in (one | other).items() if key != "generations"}
    return code | {"version": min(one["version"], other["version"])} | ({"generations": both} if both else {})
