from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from work_done import LEASE, answer, asked, done, enter, make

from stillproof.core.errors import StoreError
from stillproof.store.leftovers import leftovers
from stillproof.store.owner import this_owner
from stillproof.store.prune import Pruned, prune
from stillproof.store.store import Store, open_store

DAY = 24 * 3600


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "x.db")) as opened:
        yield opened


def age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def removed(found: Pruned) -> list[object]:
    return [[cell.id for cell in found.cells], found.artifacts, found.folders, found.checkpoints]


def test_answers_and_what_runs_need_are_never_removed(store: Store) -> None:
    made = done(store, "set", stage="distill")
    done(store, "of no run", [made])
    store.claims.fail(_claimed(store, enter(store, "failed", [made])), "me", "it went off")
    asked(store, enter(store, "failed", [made]), enter(store, "open", [enter(store, "needed")]))
    make(store, None, "imported")
    assert removed(prune(store)) == [[], [], [], []] and leftovers(store).cells == []


def _claimed(store: Store, cell: str) -> str:
    found = store.claims.claim([cell], "me", LEASE)
    assert found is not None
    return found


def test_unfinished_cells_that_no_run_needs_go_with_their_files(store: Store) -> None:
    first = enter(store, "open")
    failed = _claimed(store, enter(store, "failed", [first]))
    kept = make(store, failed, "half")
    store.claims.fail(failed, "me", "it went off")
    call = store.results.save_run("", {}, [{"cells": [failed]}], verb="train")
    store.scratch(first).mkdir(parents=True)
    (store.scratch(first) / "x.checkpoint").write_bytes(b"123")
    assert {cell.id for cell in leftovers(store).cells} == {first, failed} and leftovers(store).checkpoints == []
    size = 3 + sum(path.stat().st_size for path in store.artifacts.folder(kept).iterdir())
    planned = prune(store, dry_run=True)
    assert planned.bytes == size and store.scratch(first).exists() and len(leftovers(store).cells) == 2
    found = prune(store)
    assert found == planned and {cell.id for cell in found.cells} == {first, failed} and found.artifacts == [kept]
    assert not store.scratch(first).exists() and not store.artifacts.folder(kept).exists()
    assert call not in {run.id for run in store.results.runs_and_calls()}
    assert removed(prune(store)) == [[], [], [], []]


def test_an_artifact_that_its_cell_has_replaced_goes(store: Store) -> None:
    cell = enter(store, "set")
    old, new = make(store, cell, "old", name="set"), make(store, cell, "new", name="set")
    answer(store, cell, [new], artifact=new)
    assert prune(store).artifacts == [old] and store.artifacts.is_sound(new)


def test_a_replaced_artifact_that_something_was_trained_on_stays(store: Store) -> None:
    cell = enter(store, "set")
    old, new = make(store, cell, "old", name="set"), make(store, cell, "new", name="set")
    answer(store, cell, [new], artifact=new)
    done(store, {"upstream": {"artifact": old}})
    assert prune(store).artifacts == []


def test_files_that_the_store_does_not_know_go_once_nobody_can_be_writing_them(store: Store) -> None:
    cell = done(store, "set")
    known = store.results.artifacts_of([cell])[cell][0]
    stranger = store.artifacts.folder("ab" * 32)
    shutil.copytree(store.artifacts.folder(known), stranger)
    stale, writing = store.checkpoints / ("c" * 16), store.artifacts.root / ".partial-x"
    aside = store.artifacts.root / ".corrupt" / "x.corrupt-1"
    for folder in (stale, writing, aside):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"1234")
    assert leftovers(store).checkpoints == [stale]
    assert removed(prune(store))[2:] == [[aside], [stale]], "the others are too young"
    age(stranger, DAY / 2)
    age(writing, 2 * DAY)
    assert removed(prune(store))[2:] == [[writing, stranger], []]
    assert [path.name for path in store.artifacts.root.glob("??/*/")] == [known]


def test_a_store_in_use_is_left_alone(store: Store) -> None:
    busy, loose = enter(store, "busy"), enter(store, "loose")
    store.claims.claim([busy], this_owner(), LEASE)
    with pytest.raises(
        StoreError, match=rf"is in use \(cell .*, train, by process {os.getpid()} on .* nothing was removed"
    ):
        prune(store)
    assert [cell.id for cell in prune(store, dry_run=True).cells] == [loose]
    assert store.results.statuses([busy, loose]) == {busy: "running", loose: "pending"}


def test_files_in_a_folder_that_may_serve_other_stores_stay(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "x.db"), artifacts=tmp_path / "shared") as store:
        stranger = store.artifacts.folder("ab" * 32)
        stranger.mkdir(parents=True)
        age(stranger, DAY)
        loose = enter(store, "loose")
        found = prune(store)
        assert [cell.id for cell in found.cells] == [loose] and found.files_stay and stranger.exists()


def test_a_cell_whose_worker_died_is_left_over(store: Store) -> None:
    cell = enter(store, "abandoned")
    machine, _, _ = this_owner().rpartition("/")
    store.claims.claim([cell], f"{machine}/0", LEASE)  # as if this process had started earlier
    (left,) = leftovers(store).cells
    assert (left.id, left.state, left.status) == (cell, "abandoned", "running")
    assert [gone.id for gone in prune(store).cells] == [cell] and store.results.get(cell) is None
