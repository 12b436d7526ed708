from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch
from sqlalchemy import Engine, event, update
from work_done import downgrade

from stillproof.core.errors import Corrupt, StoreError
from stillproof.core.spec import digest
from stillproof.store.artifacts import Artifacts
from stillproof.store.damage import with_derived
from stillproof.store.records import NewCell, Record
from stillproof.store.schema import cells
from stillproof.store.store import Store, open_store
from stillproof.testing.store_contract import fill

TENSORS = "tensors.safetensors"


@pytest.fixture
def store(tmp_path: Path, database: str) -> Iterator[Store]:
    with open_store(database, artifacts=tmp_path / "artifacts") as opened:
        yield opened


def _make(store: Store, cell: str, number: int) -> str:
    return store.keep("distilled", {"images": torch.full((100,), float(number))}, {"number": number}, cell=cell)


def _finish(store: Store, cell: str, *artifacts: str, derived_from: Sequence[str] = ()) -> None:
    assert store.claims.claim([cell], "me", 60.0) == cell
    result = {"artifact": artifacts[0]} if artifacts else {"accuracy": 0.5}
    store.claims.finish(cell, "me", result, 1.0, {"cores": 2}, artifacts=artifacts, derived_from=derived_from)


def _cut(store: Store, artifact: str) -> None:
    path = store.artifacts.folder(artifact) / TENSORS
    path.write_bytes(path.read_bytes()[:-1])


def _flip(store: Store, artifact: str) -> None:
    path = store.artifacts.folder(artifact) / TENSORS
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))


def test_what_is_derived_from_a_broken_answer_is_broken_too() -> None:
    origins = {"select": ["train"], "compare": ["other", "select"], "alone": [], "train": ["set"]}
    assert with_derived(["train"], origins) == ["train", "select", "compare"]
    assert with_derived(["alone"], origins) == ["alone"] and with_derived([], origins) == []


def test_what_is_derived_from_a_damaged_cell_is_open_again_too(store: Store) -> None:
    ids = fill(store, 4)
    made = _make(store, ids[0], 0)
    _finish(store, ids[0], made)
    _finish(store, ids[1], derived_from=[ids[0]])
    _finish(store, ids[2], derived_from=[ids[1]])
    _finish(store, ids[3])
    _cut(store, made)
    assert sorted(store.reopen_damaged(ids[:1])) == sorted(ids[:3]), "whoever asks"
    assert store.results.statuses([ids[3]]) == {ids[3]: "done"}


def test_what_is_derived_from_a_cell_whose_artifact_was_read_and_found_corrupt_is_open_again(store: Store) -> None:
    ids = fill(store, 2)
    made = _make(store, ids[0], 0)
    _finish(store, ids[0], made)
    _finish(store, ids[1], derived_from=[ids[0]])
    _cut(store, made)
    assert store.reopen_maker(made) == ids[0]
    assert set(store.results.statuses(ids).values()) == {"pending"}


def test_cells_whose_artifacts_are_damaged_are_open_again(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    ids = fill(store, 7)
    made = [_make(store, cell, i) for i, cell in enumerate(ids[:6])]
    for cell, artifact in zip(ids[:3], made, strict=False):
        _finish(store, cell, artifact)
    _finish(store, ids[3], made[0], made[3], made[4])
    _finish(store, ids[4], made[0], made[5])
    _finish(store, ids[5])
    assert store.reopen_damaged(ids) == [] and caplog.records == []

    shutil.rmtree(store.artifacts.folder(made[1]))
    _cut(store, made[2])
    (store.artifacts.folder(made[3]) / "card.json").unlink()
    _cut(store, made[5])
    assert sorted(store.reopen_damaged(ids[:4])) == sorted(ids[1:4]), "a cell that was not asked for stays"
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 3
    for cell, artifact in zip(ids[1:4], made[1:4], strict=True):
        assert sum(cell[:12] in line and artifact[:12] in line for line in caplog.messages) == 1
        found = store.results.get(cell)
        assert found is not None and (found.status, found.result, found.provenance) == ("pending", None, None)
        assert (found.attempts, found.progress, found.owner, found.finished) == (0, 0.0, None, None)
    done = store.results.statuses([ids[0], ids[4], ids[5]])
    assert set(done.values()) == {"done"} and store.results.statuses([ids[6]]) == {ids[6]: "pending"}

    assert store.reopen_damaged(ids[:4]) == []
    assert _make(store, ids[2], 2) == made[2]
    _finish(store, ids[2], made[2])
    assert store.reopen_damaged(ids[:4]) == [] and store.artifacts.is_sound(made[2])


def test_a_missing_folder_of_all_artifacts_does_not_cost_all_answers(store: Store) -> None:
    plain, cell = fill(store, 2)
    _finish(store, plain)
    assert store.reopen_damaged([plain]) == [], "nothing needs the folder yet"
    _finish(store, cell, _make(store, cell, 1))
    shutil.rmtree(store.artifacts.root)
    with pytest.raises(StoreError, match="STILLPROOF_ARTIFACTS"):
        store.reopen_damaged([plain, cell])
    assert store.results.statuses([cell]) == {cell: "done"}
    store.artifacts.root.mkdir()
    assert store.reopen_damaged([plain, cell]) == [cell]


def test_ten_thousand_sound_cells_are_checked_without_reading_a_file(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = fill(store, 10_000)
    artifact = _make(store, ids[0], 0)
    with store.results._database.write() as connection:
        connection.exec_driver_sql("UPDATE cells SET status = 'done', result = '{\"accuracy\":0.5}'")
    for cell in ids[:3]:
        store.claims.reopen([cell])
        _finish(store, cell, artifact)
    looked: list[str] = []
    whole = Artifacts.tensors_bytes

    def look(self: Artifacts, artifact: str) -> int | None:
        looked.append(artifact)
        return whole(self, artifact)

    statements: list[str] = []

    def note(_c: object, _k: object, statement: str, *_: object) -> None:
        statements.append(statement.split()[0])

    monkeypatch.setattr(Artifacts, "tensors_bytes", look)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("a file was opened"))
    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert store.reopen_damaged(ids) == []
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert looked == [artifact] * 3
    assert set(statements) <= {"BEGIN", "PRAGMA", "SELECT"} and len(statements) < 30


def test_the_maker_of_a_corrupt_artifact_is_open_again(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    cell, other = fill(store, 2)
    artifact = _make(store, cell, 1)
    _finish(store, cell, artifact)
    _finish(store, other, artifact)
    assert store.reopen_maker(artifact) == cell
    assert store.results.statuses([cell]) == {cell: "done"}, "the artifact was made again in the meantime"
    _flip(store, artifact)
    assert store.reopen_damaged([cell]) == [], "only reading shows it"
    assert store.reopen_maker(artifact) == cell
    assert store.results.statuses([cell, other]) == {cell: "pending", other: "done"}
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert store.reopen_maker("0" * 64) is None


def test_only_done_cells_are_reopened(store: Store) -> None:
    done, running, failed, unsupported = ids = fill(store, 4)
    _finish(store, done)
    for cell in (running, failed, unsupported):
        store.claims.claim([cell], "me", 60.0)
    store.claims.fail(failed, "me", "no")
    store.claims.unsupported(unsupported, "me", "zero denominator", {"cores": 2})
    before = store.results.get_many(ids)
    store.claims.reopen(ids)
    after = store.results.get_many(ids)
    assert after[done].status == "pending" and after[done].result is None
    assert all(after[cell] == before[cell] for cell in (running, failed, unsupported))
    assert after[unsupported].provenance == {"cores": 2}
    store.claims.reopen(ids, unsupported=True)
    statuses = store.results.statuses(ids)
    assert statuses == {done: "pending", running: "running", failed: "failed", unsupported: "pending"}


def test_an_artifact_without_a_maker_gets_the_first_cell_that_makes_it(store: Store) -> None:
    first, second = fill(store, 2)
    artifact = "abcd" + "0" * 60
    store.register_artifact(artifact, "distilled", "old", None, 10)
    assert store.cell_of(artifact) is None
    store.register_artifact(artifact, "distilled", "new", first, 10)
    assert store.cell_of(artifact) == first and store.resolve_artifact("new") == artifact
    store.register_artifact(artifact, "distilled", None, second, 10)
    store.register_artifact(artifact, "distilled", None, None, 10)
    assert store.cell_of(artifact) == first and store.resolve_artifact("new") == artifact


def test_a_store_of_the_first_schema_learns_the_sizes(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    with open_store(str(file)) as store:
        kept, cut, gone = ids = fill(store, 3)
        made = {cell: _make(store, cell, i) for i, cell in enumerate(ids)}
        for cell in ids:
            _finish(store, cell, made[cell])
    downgrade(file, "0001")
    with open_store(str(file)) as store:
        shutil.rmtree(store.artifacts.folder(made[gone]))
        assert store.reopen_damaged(ids) == [gone], "sizes are not known, but what is missing shows"
        _make(store, cut, 1)
        _cut(store, made[cut])
        assert store.reopen_damaged([kept, cut]) == [cut], "registering again tells the size"


def test_what_a_caller_raised_is_no_damage(store: Store) -> None:
    """A cell whose id is invented looks damaged, which must not hide an error of the caller's own code."""
    store.results.put([NewCell("a" * 64, "train", {}, {})])
    with pytest.raises(AssertionError, match="a test found it"), store:
        raise AssertionError("a test found it")


def test_an_error_of_ours_beside_damage_is_told_with_its_place(store: Store) -> None:
    cell = digest({"stage": "train"})
    store.results.put([NewCell(cell, "train", {"stage": "train"}, {})])
    with pytest.raises(AttributeError), store:  # a fault of ours in a store that is whole
        Record.from_row(None)  # type: ignore[arg-type]
    with store.database.write() as connection:
        connection.execute(update(cells).values(status="dqne"))
    with pytest.raises(StoreError) as caught, store:
        Record.from_row(None)  # type: ignore[arg-type]
    said = str(caught.value)
    assert f"cell {cell[:12]} is not what it was" in said and "\n" not in said
    assert "AttributeError" in said and "stillproof.store.records, line" in said


@pytest.mark.parametrize(
    ("column", "value"), [("needs", "true"), ("artifacts", "{}"), ("spec", "[]"), ("result", "5"), ("where", '"x"')]
)
def test_a_value_of_another_kind_is_named_as_damage(store: Store, column: str, value: str) -> None:
    cell, *_ = fill(store, 1)
    _finish(store, cell)
    with store.database.write() as connection:
        connection.execute(update(cells).values({column: value}))
    with pytest.raises(Corrupt, match=r"a value in the database of the store is damaged .* for (dict|list)"):
        store.results.newest_done(1)
