"""The rows of another store's tables, as they must be to be taken: whatever else stands there is refused with a reason.

A SQLite file keeps any value in any column, and whoever wrote it need not have been this program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from stillproof.core.spec import Json, digest
from stillproof.core.validate import wanted
from stillproof.store.bundle_values import ABOUT
from stillproof.store.links import named_in
from stillproof.store.records import Status, Verb
from stillproof.store.strict_json import NotStrict, from_stranger, to_text

JSON_OF_CELLS = ("spec", "where", "result", "provenance", "needs", "artifacts", "derived_from")
JSON_OF_RUNS = ("config", "rows")
LATEST = 1e11  # seconds since 1970, in the year 5138
SHOWN = 60  # letters of a value that is refused
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


AnyRow = TypeVar("AnyRow", bound=BaseModel)


class Refused(ValueError):
    """A row that cannot be right; its message says why."""


def _printable(text: str) -> str:
    if _UNPRINTABLE.search(text):
        raise ValueError("has letters that cannot be printed")
    return text


def cleaned(text: str) -> str:
    """Return a text without letters that a terminal would obey."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


Id = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Ids = Annotated[list[Id], Field(max_length=100_000)]
Time = Annotated[float, Field(ge=0, le=LATEST)]
Name = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_printable)]
Note = Annotated[str, Field(max_length=10_000), AfterValidator(_printable)]
Plain = str | int | float | bool | None
RowValue = Plain | list[Plain] | dict[str, Plain | list[Plain]]


class Foreign(BaseModel):
    """Base of rows: nothing is turned into what it is not."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False, extra="ignore")


class Where(Foreign):
    """What helps to compute a cell, as far as every cell has it."""

    label: Note | None = None
    flops: Annotated[float, Field(ge=0, le=1e30)] = 0.0
    dataset: Name | None = None
    network: Name | None = None
    recipe: Name | None = None
    part: Name | None = None


class ForeignCell(Foreign):
    """A cell of another store whose id is that of its question."""

    id: Id
    stage: Name
    spec: Json
    where: Json
    status: Status
    progress: Annotated[float, Field(ge=0, le=1)]
    created: Time
    started: Time | None
    finished: Time | None
    seconds: Time | None
    result: Json | None
    error: str | None
    provenance: Json | None
    needs: Ids
    artifacts: Ids
    derived_from: Ids
    origin: Annotated[str, Field(max_length=2000)] | None

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if digest(self.spec) != self.id:
            raise ValueError("its id is not the hash of what it asks")
        if self.spec.get("stage") != self.stage:
            raise ValueError(f"it stands under stage {self.stage!r:.40} and asks stage {self.spec.get('stage')!r:.40}")
        if (self.status == "done") != (self.result is not None):
            raise ValueError(f"it is {self.status} {'without' if self.result is None else 'with'} an answer")
        if self.status in ("failed", "unsupported") and self.error is None:
            raise ValueError(f"it is {self.status} without a reason")
        _checked(Where, self.where)
        return self

    @property
    def reads(self) -> frozenset[str]:
        """Return the ids that its question names, and the cells that its answer repeats."""
        return named_in(to_text([self.spec, self.needs, self.derived_from], "a cell"))

    @property
    def made(self) -> frozenset[str]:
        """Return the ids that its answer names."""
        return named_in(to_text([self.result, self.artifacts], "an answer"))

    def columns(self) -> dict[str, Any]:
        """Return the values of its row, with its JSON as this store writes it."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        for name in JSON_OF_CELLS:
            values[name] = None if values[name] is None else to_text(values[name], f"the {name} of a cell")
        return values | {"error": None if self.error is None else cleaned(self.error)}


def _about(row: Mapping[str, Any]) -> None:
    """Refuse a row that says what it is about with other values than rows do: texts, and a number of images."""
    for key in ABOUT:
        if not isinstance(row.get(key, ""), str | None):
            raise ValueError(f"{key} of a row is no text")
    size = row.get("ipc")
    if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 1):
        raise ValueError("ipc of a row is no number of images")


class ForeignRun(Foreign):
    """A run of another store, or a single call."""

    suite: Annotated[str, Field(max_length=300), AfterValidator(_printable)]
    created: Time
    config: Json
    rows: list[dict[Name, RowValue]]
    hash: Id
    asked: Time
    name: Name | None
    note: Note | None
    verb: Verb

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        asks = {"verb": self.verb, "suite": self.suite, "config": self.config, "rows": self.rows}
        if digest(asks) != self.hash:
            raise ValueError("its hash is not that of what it asks")
        for row in self.rows:
            _checked(_Cells, row)
            _about(row)
        return self

    def columns(self) -> dict[str, Any]:
        """Return the values of its row, with its JSON as this store writes it."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return values | {name: to_text(values[name], f"the {name} of a run") for name in JSON_OF_RUNS}


class _Cells(Foreign):
    cells: Ids
    reason: Note = ""


class ForeignArtifact(Foreign):
    """The entry of an artifact; what its files say counts more."""

    id: Id
    name: object
    cell: Id | None


class ForeignMember(Foreign):
    """What is in a pool."""

    pool: Annotated[str, Field(max_length=300)]
    artifact: Id
    added: Time


def foreign_cell(row: Mapping[str, Any]) -> ForeignCell:
    """Return a cell from its row.

    Raises:
        Refused: It cannot be right.
    """
    parsed = _parsed(row, JSON_OF_CELLS)
    lists = {name: [] if parsed[name] is None else parsed[name] for name in ("needs", "artifacts", "derived_from")}
    return _checked(ForeignCell, parsed | lists)


def foreign_run(row: Mapping[str, Any]) -> ForeignRun:
    """Return a run from its row; as ``foreign_cell``."""
    return _checked(ForeignRun, _parsed(row, JSON_OF_RUNS))


def foreign_artifact(row: Mapping[str, Any]) -> ForeignArtifact:
    """Return an entry from its row; as ``foreign_cell``."""
    return _checked(ForeignArtifact, row)


def foreign_member(row: Mapping[str, Any]) -> ForeignMember:
    """Return what is in a pool from its row; as ``foreign_cell``."""
    return _checked(ForeignMember, row)


def _parsed(row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    values = dict(row)
    for column in columns:
        try:
            values[column] = None if values[column] is None else from_stranger(values[column])
        except NotStrict as error:
            raise Refused(f"its {column} cannot be read: {error}") from None
    return values


def _checked(kind: type[AnyRow], values: Mapping[str, Any]) -> AnyRow:
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise Refused(sentence(error)) from None


def sentence(error: ValidationError) -> str:
    """Say what is wrong with a value first."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"] if isinstance(part, int) or part.isidentifier())
    if first["type"] == "value_error":
        return f"{place}{' ' if place else ''}{first['ctx']['error']}"
    if first["type"] == "missing":
        return f"it lacks {place}"
    return f"{place} = {repr(first['input'])[:SHOWN]} is not allowed: {wanted(dict(first))}"
