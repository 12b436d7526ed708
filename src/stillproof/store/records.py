"""The values that go into the store and come out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from sqlalchemy import Row

from stillproof.core.spec import Json
from stillproof.store.strict_json import from_text

SCHEDULING = ("kind", "alone", "machine")  # columns that no answer has anything to do with
BEFORE = ", from "  # between the stores that a merged answer came through, the last of them first
LISTS = ("needs", "artifacts", "derived_from")
Status = Literal["pending", "running", "done", "failed", "unsupported"]
Verb = Literal["run", "train", "distill", "attack", "attack-bench", "attack-set", "verify"]


@dataclass(frozen=True, slots=True)
class NewCell:
    """A question: its id is the hash of ``spec``; ``where`` helps to execute it and does not decide the number."""

    id: str
    stage: str
    spec: Json
    where: Json
    needs: Sequence[str] = ()  # the cells whose answers it reads
    kind: str = ""  # what cells have in common that the same compiled code serves
    alone: bool = False  # whether it measures time, so that no other may run beside it
    machine: Json | None = None  # the one machine that it measures


@dataclass(frozen=True, slots=True)
class Record:
    """A cell as it is stored; times are epoch seconds, ``progress`` is 0 to 1.

    ``needs`` are the cells that it reads; ``artifacts`` are what its answer stands on, and ``derived_from`` the cells
    whose answers it repeats in part. ``origin`` is the store that its answer was merged from, if it was.
    """

    id: str
    stage: str
    spec: Json
    where: Json
    status: Status
    owner: str | None
    lease_until: float | None
    attempts: int
    progress: float
    created: float
    started: float | None
    finished: float | None
    seconds: float | None
    result: Json | None
    error: str | None
    provenance: Json | None
    needs: Sequence[str]
    artifacts: Sequence[str]
    derived_from: Sequence[str]
    origin: str | None

    @property
    def label(self) -> str:
        """Return what people call it."""
        return str(self.where.get("label") or f"{self.stage} {self.id[:12]}")

    @classmethod
    def from_row(cls, row: Row[Any]) -> Self:
        """Parse a row of the table of cells."""
        values = {name: value for name, value in row._mapping.items() if name not in SCHEDULING}
        for column in ("spec", "where", "result", "provenance"):
            values[column] = from_text(values[column], dict)
        for column in LISTS:
            values[column] = tuple(from_text(values[column], list) or ())
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a suite: its configuration, and the rows of its table with the ids of their cells.

    A single call of ``train``, ``distill``, ``attack`` or ``verify`` is one, too: ``verb`` is not ``run``, and there is
    no ``suite``. ``id`` is its number in this store, ``hash`` that of what it asks, in every store; ``asked`` is when
    it was asked for last.
    """

    id: int
    suite: str
    created: float
    config: Json
    rows: list[Json]
    hash: str
    asked: float
    name: str | None
    note: str | None
    verb: Verb

    @property
    def cells(self) -> list[str]:
        """Return the cells of all rows, each once."""
        return list(dict.fromkeys(cell for row in self.rows for cell in row.get("cells", ())))

    @classmethod
    def from_row(cls, row: Row[Any]) -> Self:
        """Parse a row of the table of runs."""
        values = dict(row._mapping)
        kinds = {"config": dict, "rows": list}
        return cls(**values | {column: from_text(values[column], kind) for column, kind in kinds.items()})
