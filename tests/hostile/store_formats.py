"""Stores of others: their databases, and artifacts of every kind whose seals are right whatever they say."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from formats import Format, Pieces
from sqlalchemy import select
from text_formats import by_safetensors, our_artifact, resealed

from stillproof import Session
from stillproof.core.errors import BadInput
from stillproof.report.store_status import status_of
from stillproof.run.attacked_set import summary_of
from stillproof.run.attacked_set_check import check_card, check_values
from stillproof.sets.artifact import from_artifact
from stillproof.store.artifact_files import read_card, read_folder, read_sealed
from stillproof.store.folder_files import CARD, TENSORS
from stillproof.store.read_store import read_store
from stillproof.store.records import Record
from stillproof.store.schema import cells
from stillproof.store.store import Store
from stillproof.suites.requests import Request, distilled, real_images, selected, trained
from stillproof.train.model import load_model

HOME = "STILLPROOF_HOSTILE_HOME"  # the folder of a store, for this process and those that it starts
THEIRS, OURS = "theirs.db", "ours.db"
TEXTS = {
    "cells": ("id", "stage", "spec", "where", "status", "result", "provenance", "needs", "artifacts", "derived_from"),
    "artifacts": ("id", "kind", "name", "cell", "bytes"),
    "pool_members": ("pool", "artifact"),
    "runs": ("suite", "config", "rows", "hash", "verb"),
}
# What an answer says of how it came about, which nothing shows; all else is counted again.
ONLY_TOLD = ("seconds", "clean_seconds", "peak_bytes", "notes", "losses", "history", "name")


def make_home(folder: Path) -> None:
    """Compute an answer of each of some stages; an empty store is beside it."""
    made = distilled(real_images("digits"), "random", 1, 0)
    model = selected(trained(made, "convnet-1:width=4", "quick:epochs=4", 0), "last")
    asked = [
        Request("judge", model=model, on=made),
        Request("attack", model=model, dataset="digits", attack="fgsm:eps=0.05", limit=20),
        Request("attacked-set", model=model, dataset="digits", attack="fgsm", per_class=6),
    ]
    with Session(str(folder / OURS)) as session:
        session.store.results.counts()
    with Session(str(folder / THEIRS)) as session:
        session.distill("digits", "random", 1)
        for request in asked:
            session.answer(request)
        session.store.pools.add("mine", [session.answer(asked[2])["artifact"]])
    for name in (THEIRS, OURS):
        with closing(sqlite3.connect(folder / name)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # a log is no part of the file
            connection.execute("VACUUM")
    os.environ[HOME] = str(folder)


def home() -> Pieces:
    """Return the files of the store."""
    root = Path(os.environ[HOME])
    files = (file for file in root.rglob("*") if file.is_file() and ".scratch" not in file.parts)
    return {str(file.relative_to(root)): file.read_bytes() for file in sorted(files)}


def records(store: Store) -> list[Record]:
    with store.database.read() as connection:
        return [Record.from_row(row) for row in connection.execute(select(cells).order_by(cells.c.id))]


def everything(folder: Path) -> Any:
    """Read all that tables and lists are made of."""
    with read_store(str(folder / THEIRS), artifacts=folder / "theirs-artifacts") as store:
        results = store.results
        pools = {pool: [(one.artifact, one.kind) for one in store.pools.members(pool)] for pool in store.pools.names()}
        failed, newest = results.failures(), results.newest_done(100)
        runs = [(run.hash, run.suite, run.config, run.rows) for run in store.results.runs_and_calls()]
        status = status_of(store)
        told = (repr(status).splitlines()[1:], json.dumps(status.as_dict()["cells"]))
        return records(store), results.counts(), failed, newest, pools, runs, told


def our_cells(folder: Path) -> Any:
    with read_store(str(folder / THEIRS), artifacts=folder / "theirs-artifacts") as store:
        return {cell.id: [cell.stage, cell.status, cell.spec, cell.result] for cell in records(store)}


def their_cells(folder: Path) -> Any:
    if (folder / THEIRS).stat().st_size == 0:  # to SQLite a database without a table, and to us a store that is new
        return {}
    with closing(sqlite3.connect(f"file:{folder / THEIRS}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT id, stage, status, spec, result FROM cells ORDER BY id").fetchall()
    return {
        name: [stage, status, *(json.loads(one or "null") for one in texts)] for name, stage, status, *texts in rows
    }


def merged(folder: Path) -> Any:
    """Merge the store into an empty one, and return the answers that came."""
    with Session(str(folder / OURS)) as session:
        session.merge(folder / THEIRS)
        return {cell.id: [cell.status, counted(cell.result)] for cell in records(session.store)}


def counted(result: Any) -> Any:
    return result and {key: value for key, value in result.items() if key not in ONLY_TOLD}


def forged(found: Any, _: Any) -> str:
    """Say which answer came that is another than was computed: it is counted again from the outcomes of its images."""
    true = home_answers()
    for name, (status, result) in found.items():
        if status == "done" and name not in true:
            return f"cell {name} was never asked, and is answered with {result}"
        if status == "done" and any(
            key in true[name] and not near(value, true[name][key]) for key, value in result.items()
        ):
            return f"cell {name} says {result} instead of {true[name]}"
    return ""


def near(one: Any, other: Any) -> bool:
    """Say whether two values are the same but for rounding, which merging allows for."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(near, one, other))
    if isinstance(one, dict) and isinstance(other, dict):  # what is not said is not missed
        return all(near(value, other.get(key, value)) for key, value in one.items())
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=2e-9, abs_tol=2e-9)
    return bool(one == other)


def home_answers() -> dict[str, Any]:
    true = their_cells(Path(os.environ[HOME]))
    return {name: counted(result) for name, (_, status, _, result) in true.items() if status == "done"}


def values(content: bytes) -> Pieces:
    """Return the texts of a store, by table, column and row."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(content)
        return {
            f"{table}.{column}.{row}": str(text).encode()
            for table, columns in TEXTS.items()
            for column in columns
            for row, text in connection.execute(f'SELECT rowid, "{column}" FROM {table}')
            if text is not None
        }


def database(texts: Pieces) -> bytes:
    """Return the store with these texts; a text may be anything, as SQLite checks none."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize((Path(os.environ[HOME]) / THEIRS).read_bytes())
        for place, text in texts.items():
            table, column, row = place.split(".")
            change = f'UPDATE OR IGNORE {table} SET "{column}" = CAST(? AS TEXT) WHERE rowid = ?'
            connection.execute(change, (text, int(row)))
        return connection.serialize()


def artifact_files(kind: str) -> Pieces:
    """Return card and tensors of an artifact of the store."""
    files = home()
    for name, content in files.items():
        if name.endswith(CARD) and json.loads(content)["kind"] == kind:
            return {CARD: content, TENSORS: files[name.removesuffix(CARD) + TENSORS]}
    raise BadInput(f"there is no {kind}.")


def reseal(folder: Path) -> None:
    """Give an artifact the hashes and the seal that belong to its tensors and its card, if it has a card at all."""
    card = (folder / CARD).read_bytes()
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        hashed = hashlib.sha256((folder / TENSORS).read_bytes()).hexdigest()
        card = json.dumps({**json.loads(card), "tensors_sha256": hashed}).encode()
    (folder / CARD).write_bytes(resealed({"card": card}))


def read_set(folder: Path) -> Any:
    found = read_folder(folder)
    whole = from_artifact(found.tensors, found.card)
    return whole.images, whole.labels.classes, whole.card.ipc, whole.card.bytes


def read_network(folder: Path) -> Any:
    found = read_folder(folder)
    return load_model(found.tensors, found.card, "cpu").state_dict()


def read_attacked(folder: Path) -> Any:
    card = read_card(folder)
    check_card(card, "of others")
    arrays = read_sealed(folder)[1]
    check_values(card, arrays, "of others")
    return arrays, summary_of(arrays)


def sealed_first(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def again(folder: Path) -> Any:
        reseal(folder)
        return read(folder)

    return again


def same_numbers(found: Any, theirs: Any) -> str:
    """Say whether what a program is handed is anything but the tensors of the file."""
    arrays = found[0] if isinstance(found, tuple) and isinstance(found[0], dict) else found
    if isinstance(arrays, dict):
        wrong = [name for name, one in arrays.items() if (one != theirs[0].get(name).numpy()).any()]
        return f"{wrong[0]} is not that of the file" if wrong else ""
    images, classes, ipc, _ = found
    counts = classes.bincount()
    wrong_count = ipc != -(-len(images) // len(counts)) or len(images) != len(theirs[0]["images"])
    return f"{ipc} images per class of {len(images)}" if wrong_count else ""


def artifact_formats(kind: str, read: Callable[[Path], Any]) -> list[Format]:
    return [
        Format(
            f"{kind}'s {'card' if target == CARD else 'tensors'}, resealed",
            target,
            partial(artifact_files, kind),
            sealed_first(read),
            our_artifact,
            by_safetensors,
            share=0.7,
        )
        for target in (CARD, TENSORS)
    ]


STORE_FORMATS = [
    Format("store", THEIRS, home, everything, our_cells, their_cells, False, values, database, 1.2),
    Format(
        "store, merged",
        THEIRS,
        home,
        merged,
        our_cells,
        their_cells,
        False,
        values,
        database,
        0.4,
        re.compile(r"cells\.(result|spec|status|artifacts|derived_from)"),
        forged,
    ),
    *artifact_formats("distilled", read_set),
    *artifact_formats("model", read_network),
    *artifact_formats("attacked-set", read_attacked),
]
