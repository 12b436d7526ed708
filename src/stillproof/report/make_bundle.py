"""Makes a bundle of a run: what the store has of it, without what has a meaning only there."""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import BadInput
from stillproof.core.spec import Json, canonical_json
from stillproof.report.answers import answered_rows
from stillproof.report.asked import Components, asked_of, components_of, data_in
from stillproof.report.merged import merged_among
from stillproof.report.run_command import run_command
from stillproof.report.run_report import sections_of
from stillproof.report.runs import called
from stillproof.store.failure_text import sentence_of
from stillproof.store.links import ANSWERED
from stillproof.store.read_bundle import KIND
from stillproof.store.records import BEFORE, Record, Run
from stillproof.store.store import Store

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle

RightImages = Mapping[str, npt.NDArray[np.bool_]]  # whether each image is right, by cell
MOST_SAID = 1000  # letters of a reason
_ID = re.compile(r"[0-9a-f]{64}")


def make_bundle(store: Store, run: Run, right: RightImages, name: str | None = None) -> Bundle:
    """Return the bundle of a run, from whatever the store holds by now.

    Args:
        store: The store.
        run: The run.
        right: Which images each network has right, where that is known.
        name: What people call it; by default the name of the run, or its suite and the beginning of its hash.

    Raises:
        BadInput: Nothing of it is computed yet, or the name is none.
    """
    from pydantic import ValidationError

    from stillproof.store.bundle import SCHEMA, Bundle, Right

    records = store.results.get_many(run.cells)
    if not any(record.status == "done" for record in records.values()):
        raise BadInput(f"{called(run)} has no answer yet, so that there is nothing to export.")
    questions = store.results.behind(run.cells)
    behind = list(store.results.get_many(list(questions)).values())
    asks, efforts = asked_of(store, records), _efforts(store, run)
    merged = {cell: _anywhere(origin) for cell, origin in merged_among(records, questions).items()}
    answered = {cell for cell, record in records.items() if record.status in ANSWERED}
    content: Json = {
        "kind": KIND,
        "schema": SCHEMA,
        "name": name or run.name or f"{run.suite}-{run.hash[:6]}",
        "suite": run.suite,
        "config": run.config,
        "command": run_command(run),
        "stillproof": version("stillproof"),
        "date": _day(max(record.finished or 0.0 for record in records.values())),
        "machines": _machines(behind),
        "seconds": math.fsum(record.seconds or 0.0 for record in behind),
        "data": sorted({found for record in behind for found in data_in(record.spec)}),
        "sections": {section.name: section.title for section in sections_of(run.suite)},
        **_questions(asks, components_of(store, records)),
        "rows": [_row(row) for row in run.rows],
        "answers": {
            cell: _answer(records.get(cell))
            | {"asks": asks.get(cell), "right": Right.of(right[cell]) if cell in right else None}
            | {"training": efforts[cell], "origin": merged.get(cell) if cell in answered else None}
            for cell in run.cells
        },
    }
    try:
        return Bundle.model_validate(content)
    except ValidationError as error:
        why = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise BadInput(f"{called(run)} cannot be exported as {content['name']!r}: {why}.") from None


def _row(row: Json) -> Json:
    keys = {key: value for key, value in row.items() if key not in ("cells", "reason")}
    return {"keys": keys, "cells": list(row["cells"]), "reason": row.get("reason")}


def _questions(asks: Mapping[str, str], found: Mapping[str, Components]) -> Json:
    """Return what cells ask, each with the places of the components that it stands on, and the list of all of these."""
    named = {cell: [{"name": name, **code} for name, code in found[cell].items()] for cell in asks}
    every = {canonical_json(one): one for listed in named.values() for one in listed}
    places = {text: place for place, text in enumerate(every)}
    questions = {
        asked: {"components": [places[canonical_json(one)] for one in named[cell]]} for cell, asked in asks.items()
    }
    return {"components": list(every.values()), "questions": questions}


def _efforts(store: Store, run: Run) -> dict[str, Json | None]:
    rows = answered_rows(store, run)
    found = {cell: effort for row in rows for cell, effort in zip(row.cells, row.efforts, strict=True)}
    return {cell: None if effort is None else dataclasses.asdict(effort) for cell, effort in found.items()}


def _answer(record: Record | None) -> Json:
    if record is None or record.status not in ("done", "failed", "unsupported"):
        return {"state": "missing"}
    if record.status != "done":
        return {"state": record.status, "reason": sentence_of(record.error)[:MOST_SAID], "seconds": record.seconds}
    return {"state": "done", "seconds": record.seconds, "result": _elsewhere(record.result or {})}


def _anywhere(origin: str) -> str:
    """Return where an answer came from without folders and hosts, which mean nothing elsewhere."""
    stores = BEFORE.join(store.rpartition("/")[2] for store in origin.split(BEFORE))
    return "".join(letter if letter.isprintable() else "?" for letter in stores)


def _elsewhere(value: Any) -> Any:
    """Return an answer without the ids of artifacts and cells, which mean nothing in another store."""
    if isinstance(value, dict):
        kept = {key: _elsewhere(inner) for key, inner in value.items() if not _is_id(inner)}
        return {key: inner for key, inner in kept.items() if inner or not value[key]}
    if isinstance(value, list):
        return [_elsewhere(inner) for inner in value if not _is_id(inner)]
    return value


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _machines(records: Iterable[Record]) -> list[Json]:
    """Return what answers were computed on, each machine once."""
    found = {canonical_json(one): one for record in records if (one := _machine(record.provenance or {}))}
    return [found[text] for text in sorted(found)]


def _machine(provenance: Json) -> Json | None:
    numerics = provenance.get("numerics") or {}
    if "torch" not in numerics:  # nothing was computed
        return None
    where = {key: provenance.get(key) for key in ("processor", "cores", "system", "python")}
    return where | {key: numerics.get(key) for key in ("device", "threads", "torch")}


def _day(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d")
