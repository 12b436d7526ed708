"""An answer of another store, and what it stands on there."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.spec import Json
from stillproof.core.types import ImageSet, Split
from stillproof.run.stage import Job
from stillproof.store.artifact_files import Artifact
from stillproof.store.foreign_rows import ForeignCell

CLOSE = 1e-9  # relative: sums in another order, on another machine


class Wrong(ValueError):
    """An answer is not what its outcomes come to; the message says in what."""


class NotHere(Exception):
    """What an answer would be counted with is not here; the message names it."""


class ForeignJob(Job):
    """A cell of another store; it cannot make this one read any file by naming it as a data set."""

    def data(self, data_id: str, split: Split) -> ImageSet:
        """Read a split of a data set that has a name of its own."""
        named = str(self.where.get("dataset"))
        if named.partition(":")[0] not in datasets.entries() or "/" in named or "path=" in named:
            raise NotHere(data_id.partition("@")[0])
        try:
            return super().data(data_id, split)
        except (DataMissing, BadInput):
            raise NotHere(data_id.partition("@")[0]) from None


@dataclass(frozen=True)
class Evidence:
    """An answer of another store, and the cell of it in the world that its stage would compute it in."""

    cell: ForeignCell
    job: ForeignJob

    @property
    def spec(self) -> Json:
        """Return what it asks."""
        return self.cell.spec

    @property
    def result(self) -> Json:
        """Return what it answers."""
        return self.cell.result or {}

    def artifact(self, artifact: str, kind: str, **card: Any) -> Artifact:
        """Return an artifact that it stands on, if it is of that kind and its card says these things."""
        found = self.job.store.artifacts.read(artifact)
        expect(f"the kind of artifact {artifact[:12]}", found.kind, kind)
        for key, value in card.items():
            expect(f"{key} of artifact {artifact[:12]}", found.card.get(key), value)
        return found

    def answer_of(self, cell: str) -> Json:
        """Return the answer of a cell that it reads."""
        record = self.job.store.results.get(cell)
        if record is None or record.result is None:
            raise Wrong(f"it stands on cell {cell[:12]}, which has no answer")
        return record.result

    def labels(self) -> Tensor:
        """Return the labels of the split that its spec calls ``test``."""
        part: Split = self.cell.where.get("part") or "test"
        return self.job.data(self.spec["test"], part if self.cell.stage != "train" else "test").labels

    def stands_on(self, artifacts: Collection[str], cells: Collection[str] = ()) -> None:
        """Refuse an answer that names other artifacts, or other cells that it repeats, than it stands on."""
        expect("what it stands on", sorted(set(self.cell.artifacts)), sorted(set(artifacts)))
        expect("what it is derived from", sorted(set(self.cell.derived_from)), sorted(set(cells)))

    def says(self, counted: Json) -> None:
        """Refuse an answer that says other numbers than were counted; what it does not say is not missed."""
        for key, value in counted.items():
            if key in self.result:
                expect(key, self.result[key], value)


def expect(what: str, said: Any, counted: Any) -> None:
    """Raise ``Wrong`` where two values are not the same but for rounding."""
    if not _same(said, counted):
        raise Wrong(f"{what} is {_short(said)}, and its outcomes come to {_short(counted)}")


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
