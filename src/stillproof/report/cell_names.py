"""What a cell's name is made of, and how it differs from the nearest one in the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.store.records import Record
from stillproof.store.results import SHORTEST_PREFIX
from stillproof.store.store import Store

# What the code adds to a name, in words; nothing while all its files are as first released.
CODE = {
    "generations": "numbers may have changed since the first release",
    "edited": "a hash of files that are not as released",
    "own": "a hash of a plug-in's own files",
}
ABSENT = "(not there)"


@dataclass(frozen=True, slots=True)
class Difference:
    """One part of two specs that is not the same."""

    part: str
    here: str
    there: str


@dataclass(frozen=True, slots=True)
class CellName:
    """A cell, the parts that its name is a hash of, and the most similar other cell of the same stage.

    ``rests_on`` are the cells that it stands on whose answers were merged, with the stores that those came from.
    """

    record: Record
    parts: Mapping[str, str]
    nearest: str | None
    differences: tuple[Difference, ...]
    rests_on: Mapping[str, str]

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {
            "cell": self.record.id,
            "stage": self.record.stage,
            "status": self.record.status,
            "needs": list(self.record.needs),
            "origin": self.record.origin,
            "rests_on": dict(self.rests_on),
            "parts": dict(self.parts),
            "nearest": self.nearest,
            "differences": [{"part": d.part, "here": d.here, "there": d.there} for d in self.differences],
        }


def explain_name(store: Store, text: str) -> CellName:
    """Return what the name of a cell is made of; ``text`` is the cell's id, or the beginning of it."""
    record = store.results.get(_find(store, text))
    assert record is not None
    parts = flat(record.spec)
    others = {cell: flat(spec) for cell, spec in store.results.specs(record.stage).items() if cell != record.id}
    nearest = min(others, key=lambda cell: (len(_different(parts, others[cell])), cell), default=None)
    differences = tuple(_different(parts, others[nearest])) if nearest else ()
    behind = store.results.behind([record.id]).items()
    rests_on = {cell: known.origin for cell, known in behind if known.origin is not None and cell != record.id}
    return CellName(record, parts, nearest, differences, rests_on)


def _find(store: Store, text: str) -> str:
    found = store.results.find(text)
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{len(found)} cells begin with {text!r}: write more of it.")
    try:
        made = store.cell_of(store.resolve_artifact(text))
    except BadInput:
        made = None
    if made is None:
        least = f"at least {SHORTEST_PREFIX} letters of a cell's id, or the name of something that a cell made"
        raise BadInput(f"there is no cell {text!r}: write {least}.")
    return made


def flat(spec: Json) -> dict[str, str]:
    """Return the values of a spec as text, by their paths, as in ``network.params.width``."""
    return dict(_flat(spec, ""))


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    else:
        yield path, str(value)


def _different(here: Mapping[str, str], there: Mapping[str, str]) -> list[Difference]:
    parts = dict.fromkeys((*here, *there))
    pairs = ((part, here.get(part, ABSENT), there.get(part, ABSENT)) for part in parts)
    return [Difference(part, own, other) for part, own, other in pairs if own != other]


def meaning(part: str) -> str:
    """Say in words what a part of a name means, where the part itself does not tell."""
    return next((words for key, words in CODE.items() if key in part.split(".")), "")
