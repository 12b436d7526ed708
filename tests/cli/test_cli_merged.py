"""What was merged from another store is told apart from what was computed here, and can be computed here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from commands import TINY, Commands, query

RUN = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", *TINY, "--methods", "random,dm", "--seeds", "2"]


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory, stillproof: Commands) -> Path:
    """Return a folder with three stores of a part of a run each, and one of the whole run."""
    made = tmp_path_factory.mktemp("shards")
    for store, only in (
        ("one", ["--only", "random"]),
        ("two", ["--only", "dm"]),
        ("three", ["--only", "full"]),
        ("plain", []),
    ):
        assert stillproof(*RUN, *only, "--name", "talk", "--store", f"{store}.db", cwd=made).code == 0
    return made


@pytest.fixture
def folder(shards: Path, tmp_path: Path) -> Path:
    shutil.copytree(shards, tmp_path, dirs_exist_ok=True)
    return tmp_path


def table(stillproof: Commands, folder: Path, store: str, *more: str) -> Any:
    return stillproof("table", "--run", "talk", "--store", store, "--json", *more, cwd=folder).json()


def lines(found: Any) -> list[Any]:
    """Return the lines of all tables, without notes."""
    return [one["rows"] for one in found["tables"]]


def notes(found: Any) -> str:
    return "\n".join(note for one in found["tables"] for note in one["notes"])


def test_shards_of_a_run_give_the_table_of_one_plain_run(folder: Path, stillproof: Commands) -> None:
    for shard in ("one", "two", "three"):
        merged = stillproof("db", "merge", f"{shard}.db", "--store", "new.db", "--json", cwd=folder).json()
        assert (merged["refused"], merged["refused_runs"], merged["uncounted"]) == ({}, [], {})
    found, plain = (table(stillproof, folder, store) for store in ("new.db", "plain.db"))
    assert lines(found) == lines(plain) and "Merged" not in notes(plain)
    assert "Merged: 6 answers rest on what another store says" in notes(found)
    assert str(folder / "one.db") in notes(found) and str(folder / "two.db") in notes(found)
    assert [row["merged"] for row in found["rows"]] == [2, 2, 2]
    assert all("merged" not in row for row in plain["rows"])
    text = stillproof("table", "--run", "talk", "--store", "new.db", cwd=folder).out
    assert "Merged: 6 answers" in " ".join(text.split())


def test_merged_answers_are_left_out_and_computed_here(folder: Path, stillproof: Commands) -> None:
    stillproof("db", "merge", "two.db", "--store", "one.db", cwd=folder)
    both = table(stillproof, folder, "one.db")
    assert "Merged: 2 answers rest" in notes(both) and "missing" in both["rows"][0]
    own = table(stillproof, folder, "one.db", "--own")
    by_method = {row["method"]: row["missing"] for row in own["rows"]}
    assert by_method == {"full": 2, "random": 0, "dm": 2} and "Left out: 2 answers that rest" in notes(own)

    # A consistent forgery: nothing of it contradicts itself, so that only its origin tells it apart.
    (forged, text), *_ = query(
        folder / "one.db", "SELECT id, result FROM cells WHERE stage = 'select' AND origin IS NOT NULL"
    )
    honest = json.loads(str(text))["accuracy"]
    query(folder / "one.db", f"UPDATE cells SET result = json_set(result, '$.accuracy', 0.999) WHERE id = '{forged}'")
    why = stillproof("why", str(forged), "--store", "one.db", cwd=folder).out
    assert f"it was merged from {folder / 'two.db'}" in why and "it rests on answers that were merged" in why
    told = stillproof("why", str(forged), "--store", "one.db", "--json", cwd=folder).json()
    assert told["origin"] == str(folder / "two.db") and len(told["rests_on"]) == 2

    kept = query(folder / "one.db", "SELECT id, finished FROM cells WHERE origin IS NULL ORDER BY id")
    done = stillproof(*RUN, "--name", "talk", "--trust", "own", "--store", "one.db", cwd=folder)
    assert done.code == 0, done.err
    assert query(folder / "one.db", "SELECT id FROM cells WHERE origin IS NOT NULL AND status = 'done'") == []
    after = dict(query(folder / "one.db", "SELECT id, finished FROM cells"))
    assert all(after[cell] == finished for cell, finished in kept), "what was computed here stays as it is"
    (again,) = query(folder / "one.db", f"SELECT json_extract(result, '$.accuracy') FROM cells WHERE id = '{forged}'")
    assert again == (honest,)
    found, own = table(stillproof, folder, "one.db"), table(stillproof, folder, "one.db", "--own")
    assert lines(found) == lines(table(stillproof, folder, "plain.db")) == lines(own)
    assert "Merged" not in notes(found)


def test_what_is_computed_here_of_merged_answers_rests_on_them(folder: Path, stillproof: Commands) -> None:
    stillproof("db", "merge", "one.db", "--store", "new.db", cwd=folder)
    assert stillproof(*RUN, "--set", "selection=oracle", "--only", "random", "--store", "new.db", cwd=folder).code == 0
    chosen = query(folder / "new.db", "SELECT id FROM cells WHERE stage = 'select' AND origin IS NULL")
    assert chosen
    told = stillproof("why", str(chosen[0][0]), "--store", "new.db", cwd=folder).out
    assert "it rests on answers that were merged" in told and "was not computed here" not in told
    found = stillproof("table", "accuracy", "--store", "new.db", "--json", "--own", cwd=folder).json()
    assert "Left out" in notes(found)


def test_bad_combinations_are_one_sentence(folder: Path, stillproof: Commands) -> None:
    for argv, said in (
        ([*RUN, "--trust", "own", "--dry-run"], "--dry-run changes nothing"),
        ([*RUN, "--trust", "nobody"], "unknown trust 'nobody'"),
        (["table", "--run", "talk", "--own", "--by-class"], "--own is for tables of a run"),
    ):
        done = stillproof(*argv, "--store", "plain.db", cwd=folder)
        assert done.code == 2 and said in done.err and "Traceback" not in done.err
