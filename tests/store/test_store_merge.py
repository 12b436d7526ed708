from __future__ import annotations

import dataclasses
import json
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work_done import LEASE, answer, asked, copied, done, downgrade, enter, make, merge

from stillproof.core.errors import BadInput, StoreError
from stillproof.core.spec import Json, digest
from stillproof.run import enter as entering
from stillproof.run.cell import Cell
from stillproof.store.merge import Merged
from stillproof.store.other_store import open_other
from stillproof.store.owner import this_owner
from stillproof.store.records import NewCell
from stillproof.store.store import Store, open_store


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    with open_store(str(tmp_path / "ours.db")) as ours, open_store(str(tmp_path / "theirs.db")) as theirs:
        yield ours, theirs


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("template") / "empty.db"
    open_store(str(file)).close()
    return file


def nothing_new(found: Merged) -> bool:
    return not (found.answers or found.runs or found.artifacts or found.bytes)


def test_answers_artifacts_and_runs_come_with_their_provenance(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    made = done(theirs, "set", stage="distill")
    trained = done(theirs, "training", [made])
    asked(theirs, trained, name="theirs")
    mine = done(ours, "mine")
    asked(ours, mine)
    found = merge(ours, theirs)
    assert set(found.answers) == {made, trained} and found.runs == 1 and len(found.artifacts) == 2 and found.known == 0
    for cell in (made, trained):
        record = theirs.results.get(cell)
        assert record is not None
        assert ours.results.get(cell) == dataclasses.replace(record, owner=None, attempts=0, origin=theirs.shown)
        assert all(ours.artifacts.is_sound(one) for one in ours.results.artifacts_of([cell])[cell])
    assert ours.reopen_damaged([made, trained, mine]) == []
    assert [(run.id, run.name, run.cells) for run in ours.results.runs()] == [
        (1, None, [mine]),
        (2, "theirs", [trained]),
    ]
    assert nothing_new(merge(ours, theirs)) and merge(ours, theirs).known == 2


def test_another_answer_is_named_and_ours_stays_with_what_repeats_it(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    for store, content in ((ours, "one"), (theirs, "other")):
        done(store, "training", content=content)
    train = enter(theirs, "training")
    select = enter(theirs, "select", [train], stage="select")
    answer(theirs, select, derived=[train], accuracy=0.7)
    asked(theirs, select)
    before = ours.results.get(train)
    found = merge(ours, theirs)
    assert found.conflicts.keys() == {train} and found.without.keys() == {select}
    assert found.answers == [] == found.artifacts
    assert ours.results.get(train) == before
    assert ours.results.statuses([select]) == {select: "pending"}, "their number would not be that of our training"


def test_hints_of_an_open_question_are_those_of_our_own_plan(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    spec: Json = {"stage": "train", "asks": "x", "needs": []}
    theirs.results.put([NewCell(digest(spec), "train", spec, {"dataset": "other", "flops": 1e30}, ["0" * 64])])
    merge(ours, theirs)
    planned = Cell(digest(spec), "train", spec, {"dataset": "digits", "flops": 1.0}, (), 1.0, "x")
    entering.enter(ours, [planned])
    record = ours.results.get(planned.id)
    assert record is not None and (record.where, record.needs) == ({**planned.where, "label": "x"}, ())
    answer(ours, planned.id)
    entering.enter(ours, [dataclasses.replace(planned, where={"dataset": "third"})])
    again = ours.results.get(planned.id)
    assert again is not None and again.where == record.where, "what has an answer stays as it is"


def test_what_was_asked_in_the_future_is_not_the_newest_for_ever(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    for store in two:
        asked(store, enter(store, "both"))
    asked(theirs, enter(theirs, "theirs"), name="theirs")
    with theirs.database.write() as connection:
        connection.exec_driver_sql("UPDATE runs SET created = 9e10, asked = 9e10")
    merge(ours, theirs)
    assert all(max(run.created, run.asked) <= time.time() for run in ours.results.runs())
    asked(ours, enter(ours, "new"), name="newest")
    assert ours.results.runs()[0].name == "newest"


def test_what_repeats_a_cell_that_is_refused_does_not_come(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    train = done(theirs, "training")
    select = enter(theirs, "select", [train], stage="select")
    answer(theirs, select, derived=[train], accuracy=0.7)
    reader = done(theirs, "reads it", [select])
    with theirs.database.write() as connection:
        connection.exec_driver_sql('UPDATE cells SET "where" = \'{"dataset": []}\' WHERE id = ?', (train,))
    found = merge(ours, theirs)
    assert found.refused.keys() == {train} and not found.answers
    assert found.without.keys() == {select, reader}
    assert ours.results.get(train) is None, "not even its question"


def test_a_name_that_is_the_beginning_of_an_id_does_not_come(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    mine = make(ours, None, "mine")
    make(theirs, None, "theirs", name=mine[:12])
    assert merge(ours, theirs).misnamed == [repr(mine[:12])]
    assert ours.resolve_artifact(mine[:12], "distilled") == mine
    make(ours, None, "another", name=mine[:12])
    with pytest.raises(BadInput, match="the beginning of several"):
        ours.resolve_artifact(mine[:12], "distilled")


def test_seconds_alone_are_no_other_answer(two: tuple[Store, Store]) -> None:
    cells = []
    for seconds, store in enumerate(two):
        cells.append(enter(store, "coverage"))
        answer(store, cells[-1], coverage=0.25, seconds=seconds, notes={"resumed_at": seconds})
    assert cells[0] == cells[1] and merge(*two).conflicts == {} and merge(*two).known == 1


def test_what_only_one_failed_at_is_answered_and_what_both_lack_stays_open(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    failed = enter(ours, "hard")
    ours.claims.claim([failed], "me", LEASE)
    ours.claims.fail(failed, "me", "it went off")
    done(theirs, "hard")
    lost = enter(theirs, "harder")
    theirs.claims.claim([lost], "me", LEASE)
    theirs.claims.fail(lost, "me", "it went off there")
    running = enter(theirs, "running")
    theirs.claims.claim([running], "me", LEASE)
    merge(ours, theirs)
    assert ours.results.statuses([failed, lost, running]) == {failed: "done", lost: "failed", running: "pending"}
    (record,) = ours.results.failures()
    assert record.error == "it went off there" and record.owner is None
    assert ours.claims.claim([running], "we", LEASE) == running, "a claim there is none here"


def test_a_cell_that_is_computed_here_is_left_alone(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    cell = enter(ours, "slow")
    ours.claims.claim([cell], this_owner(), LEASE)
    done(theirs, "slow")
    found = merge(ours, theirs)
    assert found.busy.keys() == {cell} and found.answers == []
    ours.claims.finish(cell, this_owner(), {"artifact": "x"}, 1.0, {})


def test_lost_artifacts_are_named_and_the_rest_comes(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    lost, cut, whole = (done(theirs, name) for name in ("lost", "cut", "whole"))
    repeats = enter(theirs, "select", [lost], stage="select")
    answer(theirs, repeats, derived=[lost], accuracy=0.7)
    asked(theirs, lost, cut, whole, repeats)
    named = {cell: made for cell, (made,) in theirs.results.artifacts_of([lost, cut, whole]).items()}
    shutil.rmtree(theirs.artifacts.folder(named[lost]))
    tensors = theirs.artifacts.folder(named[cut]) / "tensors.safetensors"
    tensors.write_bytes(tensors.read_bytes()[:-3])
    found = merge(ours, theirs)
    assert found.lost.keys() == {named[lost], named[cut]} and "is missing" in found.lost[named[lost]]
    assert found.answers == [whole] and found.without.keys() == {lost, cut, repeats} and found.runs == 1
    assert ours.results.statuses([lost, cut, repeats]) == dict.fromkeys((lost, cut, repeats), "pending")
    assert not ours.artifacts.folder(named[cut]).exists()


def test_a_set_comes_with_its_whitening_or_not_at_all(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    matrix = make(theirs, None, "matrix")
    own = make(theirs, None, "set", name="mine", space={"kind": "zca", "ref": matrix})
    shutil.move(theirs.artifacts.folder(matrix), theirs.artifacts.root / "away")
    assert merge(ours, theirs).lost.keys() == {matrix, own} and not ours.artifacts.folder(own).exists()
    shutil.move(theirs.artifacts.root / "away", theirs.artifacts.folder(matrix))
    found = merge(ours, theirs)
    assert found.artifacts == [matrix, own] and ours.resolve_artifact("mine") == own


def test_names_that_ours_have_are_not_taken_away(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    mine, other = (make(store, None, content, name="set") for store, content in ((ours, "one"), (theirs, "other")))
    for number, store in enumerate(two):
        asked(store, name="talk", number=number)
    found = merge(ours, theirs)
    assert found.unnamed == ["set"] and found.renamed == {"talk": "talk-2"}
    assert ours.resolve_artifact("set") == mine and ours.resolve_artifact(other) == other
    assert [run.name for run in ours.results.runs()] == ["talk-2", "talk"]
    assert nothing_new(merge(ours, theirs))


def test_the_same_run_is_one_and_gets_the_name_that_it_lacks(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    for store, name in ((ours, None), (theirs, "talk")):
        asked(store, done(store, "set"), name=name)
    assert merge(ours, theirs).runs == 0
    (run,) = ours.results.runs()
    assert run.name == "talk"


def test_a_damaged_artifact_of_ours_is_brought_again(two: tuple[Store, Store]) -> None:
    ours, theirs = two
    cell = done(theirs, "set")
    merge(ours, theirs)
    (made,) = ours.results.artifacts_of([cell])[cell]
    shutil.rmtree(ours.artifacts.folder(made))
    assert ours.reopen_damaged([cell]) == [cell]
    found = merge(ours, theirs)
    assert (found.answers, found.artifacts) == ([cell], [made]) and ours.reopen_damaged([cell]) == []


def test_an_older_store_is_read_and_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    with open_store(str(file)) as store:
        cell = done(store, "set")
        asked(store, cell)
    downgrade(file, "0003")
    before = file.read_bytes()
    with open_other(str(file)) as theirs, open_store(str(tmp_path / "ours.db")) as ours:
        found = merge(ours, theirs)
        assert found.answers == [cell] and found.runs == 1 and theirs.shown == str(file)
    assert file.read_bytes() == before and sorted(path.name for path in tmp_path.glob("old*")) == [
        "old-artifacts",
        "old.db",
    ]


def test_the_store_itself_and_other_databases_are_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "x.db")
    with open_store(file) as store, open_other(file) as same, pytest.raises(BadInput, match="is this store itself"):
        merge(store, same)
    with sqlite3.connect(tmp_path / "soup.db") as connection:
        connection.execute("CREATE TABLE recipes (soup TEXT)")
    with (
        pytest.raises(StoreError, match=r"soup\.db is a database of something else"),
        open_other(str(tmp_path / "soup.db")),
    ):
        pass


def test_the_variable_of_our_folder_does_not_name_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(str(tmp_path / "theirs.db")) as store:
        cell = done(store, "set")
    monkeypatch.setenv("STILLPROOF_ARTIFACTS", str(tmp_path / "ours"))
    (tmp_path / "theirs-artifacts").rename(tmp_path / "moved")
    with open_store(str(tmp_path / "ours.db")) as ours:
        with open_other(str(tmp_path / "theirs.db")) as theirs:
            assert len(merge(ours, theirs).lost) == 1
        with open_other(str(tmp_path / "theirs.db"), tmp_path / "moved") as theirs:
            assert merge(ours, theirs).answers == [cell]


ENDS = st.sampled_from(["pending", "done", "failed", "unsupported"])
CELLS = st.dictionaries(st.integers(0, 6), st.tuples(ENDS, st.sampled_from("ab")), max_size=6)


def _fill(store: Store, cells: dict[int, tuple[str, str]]) -> None:
    for number, (end, content) in cells.items():
        cell = enter(store, number)
        if end == "done":
            answer(store, cell, says=content)
        elif end != "pending":
            store.claims.claim([cell], "me", LEASE)
            ends = store.claims.fail if end == "failed" else store.claims.unsupported
            ends(cell, "me", content)
    asked(store, *(enter(store, number) for number in cells), cells=sorted(cells))


@settings(max_examples=25)
@given(ours=CELLS, theirs=CELLS)
def test_nothing_of_ours_changes_and_all_that_either_knows_is_known(
    template: Path,
    tmp_path_factory: pytest.TempPathFactory,
    ours: dict[int, tuple[str, str]],
    theirs: dict[int, tuple[str, str]],
) -> None:
    folder = tmp_path_factory.mktemp("two")
    with ExitStack() as stack:
        one, two = (stack.enter_context(copied(template, folder / name)) for name in ("one.db", "two.db"))
        for store, cells in ((one, ours), (two, theirs)):
            _fill(store, cells)
        everything = {enter(two, number) for number in theirs} | {enter(one, number) for number in ours}
        before, there = (store.results.get_many(list(everything)) for store in (one, two))
        found = merge(one, two)
        after = one.results.get_many(list(everything))
        answered = {
            cell for known in (before, there) for cell, r in known.items() if r.status in ("done", "unsupported")
        }
        assert {cell for cell, r in after.items() if r.status in ("done", "unsupported")} == answered
        assert all(after[c] == r for c, r in before.items() if r.status in ("done", "unsupported"))
        differ = [
            c
            for c in answered & before.keys() & there.keys()
            if {before[c].status, there[c].status} <= {"done", "unsupported"}
        ]
        assert found.conflicts.keys() == {
            c for c in differ if (before[c].status, before[c].result) != (there[c].status, there[c].result)
        }
        assert after.keys() == everything and json.dumps(found.as_dict())
        assert nothing_new(merge(one, two)) and one.results.get_many(list(everything)) == after
