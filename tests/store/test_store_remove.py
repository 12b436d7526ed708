from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work_done import LEASE, answer, asked, copied, done, enter, make

from stillproof.core.errors import StoreError
from stillproof.store.links import named_in, reached, read_links
from stillproof.store.owner import this_owner
from stillproof.store.records import Run
from stillproof.store.remove_run import Removed, remove_run
from stillproof.store.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "x.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("template") / "empty.db"
    open_store(str(file)).close()
    return file


def run(store: Store, number: int) -> Run:
    (found,) = (run for run in store.results.runs_and_calls() if run.id == number)
    return found


def remove(store: Store, number: int) -> Removed:
    return remove_run(store, run(store, number))


def cells(store: Store) -> set[str]:
    with store.database.read() as connection:
        return set(read_links(connection))


def folders(store: Store) -> set[str]:
    return {path.name for path in store.artifacts.root.glob("??/*/")}


def test_a_run_goes_with_all_that_it_alone_uses(store: Store) -> None:
    made = done(store, "set", stage="distill")
    number = asked(store, done(store, "training", [made]), enter(store, "open", [made]))
    size = sum(path.stat().st_size for path in store.artifacts.root.rglob("*") if path.is_file())
    gone = remove(store, number)
    assert len(gone.cells) == 3 and len(gone.artifacts) == 2 and gone.bytes == size and not gone.stayed
    assert cells(store) == folders(store) == set() and store.results.runs() == []


def test_what_other_runs_and_single_calls_use_stays_and_they_are_named(store: Store) -> None:
    made = done(store, "set", stage="distill")
    trained, mine, called = (done(store, name, [made]) for name in ("shared", "mine", "single"))
    number = asked(store, trained, mine, called)
    other = asked(store, trained, name="other")
    call = store.results.save_run("", {}, [{"cells": [called]}], verb="train")
    gone = remove(store, number)
    assert gone.cells == [mine] and len(gone.artifacts) == 1
    assert {(user.id, count) for user, count in gone.stayed} == {(other, 2), (call, 2)} and gone.used_otherwise == 0
    assert cells(store) == {made, trained, called} and len(folders(store)) == 3
    remove(store, other)
    remove(store, call)
    assert cells(store) == folders(store) == set()


def test_a_set_that_an_answer_of_no_run_was_trained_on_stays(store: Store) -> None:
    made = done(store, "set", stage="distill")
    number = asked(store, made)
    # Its question names the set, as that of a training on a stored set does, without needing the cell.
    loose = done(store, {"upstream": {"cell": made}})
    gone = remove(store, number)
    assert gone.cells == [] and gone.used_otherwise == 1 and cells(store) == {made, loose}


def test_imported_sets_stay_and_snapshots_go(store: Store) -> None:
    own = make(store, None, "imported", name="mine")
    cell = enter(store, {"upstream": {"artifact": own}}, stage="distill")
    snapshot, result = make(store, None, "on the way", name="dm@50"), make(store, cell, "result", name="dm")
    answer(store, cell, [result], artifact=result, snapshots={"50": snapshot})
    remove(store, asked(store, cell))
    assert folders(store) == {own} and store.resolve_artifact("mine") == own


def test_a_whitening_stays_with_the_imported_set_that_is_in_its_space(store: Store) -> None:
    zca = enter(store, "whitening", stage="zca")
    matrix = make(store, zca, "matrix")
    answer(store, zca, [matrix], artifact=matrix)
    own = make(store, None, "imported", space={"kind": "zca", "ref": matrix})
    gone = remove(store, asked(store, zca))
    assert (gone.cells, gone.artifacts) == ([zca], []) and folders(store) == {own, matrix}
    assert store.cell_of(matrix) is None


def test_a_run_that_is_being_computed_is_refused(store: Store) -> None:
    number = asked(store, enter(store, "first"), enter(store, "second"))
    store.claims.claim([run(store, number).cells[0]], this_owner(), LEASE)
    with pytest.raises(StoreError, match=r"run 1 is being computed .* nothing was removed"):
        remove(store, number)
    assert len(cells(store)) == 2 and store.results.runs()
    store.claims.release(run(store, number).cells[0], this_owner())
    assert len(remove(store, number).cells) == 2


def test_a_run_whose_worker_is_dead_can_be_removed(store: Store) -> None:
    number = asked(store, enter(store, "first"))
    machine, _, _ = this_owner().rpartition("/")
    store.claims.claim(run(store, number).cells, f"{machine}/0", LEASE)  # as if this process had started earlier
    assert len(remove(store, number).cells) == 1


def test_checkpoints_go_with_their_cells(store: Store) -> None:
    cell = enter(store, "first")
    store.scratch(cell).mkdir(parents=True)
    (store.scratch(cell) / "steps.checkpoint").write_bytes(b"12345")
    assert remove(store, asked(store, cell)).bytes == 5 and not store.scratch(cell).exists()


def test_files_in_a_folder_that_may_serve_other_stores_stay(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "x.db"), artifacts=tmp_path / "shared") as store:
        gone = remove(store, asked(store, done(store, "set")))
        assert gone.files_stay and gone.bytes == 0 and len(folders(store)) == 1 and cells(store) == set()


@settings(max_examples=25)
@given(
    needs=st.lists(st.sets(st.integers(0, 9), max_size=3), min_size=2, max_size=10),
    wanted=st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=3),
)
def test_whatever_another_run_reaches_stays_and_nothing_else_of_the_run(
    template: Path, tmp_path_factory: pytest.TempPathFactory, needs: list[set[int]], wanted: list[set[int]]
) -> None:
    with copied(template, tmp_path_factory.mktemp("one") / "x.db") as store:
        made: list[str] = []
        for number, of in enumerate(needs):
            made.append(enter(store, number, [made[need] for need in sorted(of) if need < number]))
        runs = [asked(store, *(made[n % len(made)] for n in of), number=i) for i, of in enumerate(wanted)]
        with store.database.read() as connection:
            links = read_links(connection)
        own, *others = (reached(links, run(store, number).cells) for number in runs)
        gone = remove(store, runs[0])
        rest = reached(links, links.keys() - own).union(*others)
        assert set(gone.cells) == own - rest and cells(store) == links.keys() - gone.cells


def test_ids_are_found_wherever_they_stand_in_json() -> None:
    one, two = "a" * 64, "0" * 64
    assert named_in(f'{{"cell":"{one}","data":"digits/train@sha256:{two}"}}', None) == {one}
    assert named_in(f'["{one}","{two}"]', f'{{"{two}": 1}}') == {one, two}
