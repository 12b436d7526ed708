"""A whole store from SQLite to PostgreSQL and back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from sqlalchemy import insert, select

from commands import Commands, Done
from postgres_server import Server
from stillproof.core.plugin_file import Plugin
from stillproof.core.spec import digest
from stillproof.store.copy_store import copy_store
from stillproof.store.read_store import read_store
from stillproof.store.records import NewCell
from stillproof.store.schema import bundles, cells, metadata
from stillproof.store.store import Store, open_store
from stillproof.store.strict_json import NUL_SHOWN
from stillproof.testing.claims_contract import LEASE
from stillproof.testing.store_contract import fill

pytestmark = pytest.mark.cluster


def rows_of(url: str, artifacts: Path) -> dict[str, list[tuple[Any, ...]]]:
    with read_store(url, artifacts=artifacts) as store, store.database.read() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
        }


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def tell_nobody(share: float, said: str) -> None:
    assert 0 <= share <= 1 and said


def full(url: str) -> None:
    """Fill a store with all that one can have."""
    with open_store(url) as store:
        done, failed, died, unfinished, *_ = fill(store, 1200)
        made = store.keep("distilled", {"images": torch.rand(50)}, {"of": "ü"}, name="mine", cell=done)
        store.keep("model", {"w": torch.rand(9)}, {"of": 1})
        for cell in (done, failed, unfinished):
            assert store.claims.claim([cell], "gone/1/1", -1.0) == cell
        store.claims.finish(done, "gone/1/1", {"a": 0.1 + 0.2, "ü": "\U0001f600\0"}, 1 / 3, {}, artifacts=[made])
        store.claims.fail(failed, "gone/1/1", "a trace\nof two lines")
        store.claims.claim([died], "gone/1/1", -1.0)
        store.claims.release(unfinished, "gone/1/1")
        store.scratch(unfinished).mkdir(parents=True)
        (store.scratch(unfinished) / "steps.checkpoint").write_bytes(b"half way")
        store.pools.add("pool", [made])
        waits = NewCell(digest("waits"), "train", {"asks": "waits"}, {}, [unfinished], "kind", True, {"cores": 2})
        store.results.put([waits])
        (plugin,) = store.plugins.put([Plugin("mine.py", "'\N{GREEK SMALL LETTER ALPHA}'")])
        store.plans.add(store.plans.begin(plugins=[plugin]), [unfinished, waits.id], {waits.id}, is_open=True)
        with store.workers.entered("gone/1/1", None):
            pass
        for ipc in range(3):
            store.results.save_run("accuracy", {"ipc": ipc}, [{"cells": [done]}], name=f"run-{ipc}", note="n")
        with store.database.write() as connection:
            connection.exec_driver_sql("DELETE FROM runs WHERE id = 2")
            values = {"name": "b", "hash": "0" * 64, "added": 1e9 / 3, "content": '{"ä": 1}'}
            connection.execute(insert(bundles).values(values))


def test_a_store_comes_back_as_it_went(server: Server, tmp_path: Path) -> None:
    first, second = f"sqlite:///{tmp_path}/first.db", f"sqlite:///{tmp_path}/second.db"
    url, shared = server.fresh_url(), tmp_path / "shared"
    full(first)
    environment = pytest.MonkeyPatch()
    environment.setenv("STILLPROOF_ARTIFACTS", str(shared))
    there = copy_store(first, url, None, tell_nobody)
    back = copy_store(url, second, None, tell_nobody)
    environment.undo()
    before = rows_of(first, tmp_path / "first-artifacts")
    assert all(before.values()), "every table has rows"
    assert rows_of(url, shared) == before == rows_of(second, tmp_path / "second-artifacts")
    assert there.rows == back.rows == {name: len(rows) for name, rows in before.items()}
    assert (there.artifacts, there.bytes, there.lost) == (2, back.bytes, {}) and there.bytes > 0
    files = files_below(tmp_path / "first-artifacts")
    assert files_below(shared) == files == files_below(tmp_path / "second-artifacts")
    assert any("checkpoint" in name for name in files)
    for copy, folder in ((url, shared), (second, tmp_path / "second-artifacts")):
        with open_store(copy, artifacts=folder) as store:
            assert store.results.save_run("accuracy", {"ipc": 3}, []) == 4, "numbers go on"


def test_what_cannot_be_copied_is_told_and_leaves_everything_as_it_was(
    server: Server, tmp_path: Path, stillproof: Commands
) -> None:
    url, source = server.fresh_url(), f"sqlite:///{tmp_path}/x.db"
    shared = {"STILLPROOF_ARTIFACTS": str(tmp_path / "shared")}
    full(source)

    def run(*argv: str) -> Done:
        return stillproof.finish(stillproof.start(*argv, cwd=tmp_path, env=shared))

    with open_store(source) as store:
        (cell, *_) = [one for one, status in store.results.statuses(_ids(store)).items() if status == "pending"]
        store.claims.claim([cell], "elsewhere/1/1", LEASE)
        busy = run("db", "copy", source, url)
        assert busy.code == 4 and f"is in use (cell {cell[:12]}" in busy.err
        store.claims.release(cell, "elsewhere/1/1")
        with store.database.write() as connection:
            connection.execute(cells.update().where(cells.c.id == cell).values(error="a\0b"))
    done = run("db", "copy", source, url, "--json")
    assert done.code == 0 and json.loads(done.out)["shown"] == 1 and "cret" not in done.out + done.err
    with open_store(url, artifacts=tmp_path / "shared") as copy:
        record = copy.results.get(cell)
        assert record is not None and record.error == f"a{NUL_SHOWN}b"
    again = run("db", "copy", source, url)
    assert again.code == 2 and "has" in again.err and "needs an empty one" in again.err
    nowhere = run("db", "copy", str(tmp_path / "no.db"), url)
    assert nowhere.code == 4 and "there is no store" in nowhere.err
    damaged = next((tmp_path / "shared").glob("??/*/tensors.safetensors"))
    os.truncate(damaged, 10)
    lossy = run("db", "copy", url, str(tmp_path / "lossy.db"))
    assert lossy.code == 4 and "all rows are copied, but 1 artifacts are lost" in lossy.err
    assert rows_of(str(tmp_path / "lossy.db"), tmp_path) == rows_of(url, tmp_path / "shared")


def _ids(store: Store) -> list[str]:
    with store.database.read() as connection:
        return list(connection.execute(select(cells.c.id)).scalars())
