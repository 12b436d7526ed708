from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from commands import TINY, Commands, finished, query, wait_until
from stillproof.store.artifacts import Artifacts

SMOKE = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", *TINY]
OURS = [*SMOKE, "--methods", "random,dm", "--seeds", "2"]
THEIRS = [*SMOKE, "--methods", "random,herding", "--seeds", "2"]
SLOW = """
import time
from dataclasses import dataclass
from stillproof import distillers
from stillproof.distill.random import RandomImages

@distillers.register("slow", version=1)
@dataclass(frozen=True)
class Slow(RandomImages):
    \"\"\"Takes its time.\"\"\"

    def distill(self, data, ipc, ctx):
        time.sleep(60)
        return super().distill(data, ipc, ctx)
"""

KILLED = """
import os, signal, sys
from contextlib import contextmanager
from stillproof.cli.main import main
from stillproof.store.database import Database

left, write = int(sys.argv.pop(1)), Database.write

@contextmanager
def kill_before_commit(self):
    global left
    with write(self) as connection:
        yield connection
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

Database.write = kill_before_commit
main()
"""


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory, stillproof: Commands) -> Path:
    """Two stores with different work in them, and one call that both have."""
    made = tmp_path_factory.mktemp("machines")
    assert stillproof(*OURS, "--name", "talk", "--store", "ours.db", cwd=made).code == 0
    assert stillproof(*THEIRS, "--name", "talk", "--note", "elsewhere", "--store", "theirs.db", cwd=made).code == 0
    train = ["train", "digits", "--recipe", "smoke", "--seeds", "1", *TINY]
    assert stillproof(*train, "--store", "theirs.db", cwd=made).code == 0
    return made


@pytest.fixture
def folder(machines: Path, tmp_path: Path) -> Path:
    shutil.copytree(machines, tmp_path, dirs_exist_ok=True)
    return tmp_path


def merge(stillproof: Commands, folder: Path, into: str = "ours.db") -> dict[str, Any]:
    found: dict[str, Any] = stillproof("db", "merge", "theirs.db", "--store", into, "--json", cwd=folder).json()
    return found


def rows(stillproof: Commands, folder: Path, run: str, store: str) -> Any:
    """Return the rows of a run, without how many answers of each were merged."""
    found = stillproof("table", "--run", run, "--store", store, "--json", cwd=folder).json()["rows"]
    return [{key: value for key, value in row.items() if key != "merged"} for row in found]


def test_two_machines_become_one(folder: Path, stillproof: Commands) -> None:
    before = finished(folder / "ours.db")
    found = merge(stillproof, folder)
    assert (found["runs"], found["known"], found["conflicts"], found["renamed"]) == (2, 10, {}, {"talk": "talk-2"})
    assert before.items() <= finished(folder / "ours.db").items(), "nothing was computed or taken twice"
    assert finished(folder / "theirs.db").keys() <= finished(folder / "ours.db").keys()
    assert rows(stillproof, folder, "talk-2", "ours.db") == rows(stillproof, folder, "talk", "theirs.db")
    assert stillproof(*THEIRS, "--store", "ours.db", "--dry-run", "--json", cwd=folder).json()["by_stage"] == {}
    again = merge(stillproof, folder)
    assert (again["answers"], again["runs"], again["artifacts"]) == ([], 0, []) and again["known"] == 19
    status = stillproof("status", "--store", "ours.db", cwd=folder).out
    assert "talk-2" in status and "elsewhere" in status and "full, random, herding" in status and "6 of 6" in status
    assert "single calls" in status and "train" in status


def test_a_merge_that_is_killed_again_and_again_goes_on(folder: Path, stillproof: Commands) -> None:
    artifacts, known = len(query(folder / "theirs.db", "SELECT id FROM artifacts")), 0
    # While its tables are made, while cells are entered, at the artifacts, at the answers, at the runs.
    for number in (1, 2, 2, 2, 2):
        done = stillproof.python(KILLED, str(number), "db", "merge", "theirs.db", "--store", "new.db", cwd=folder)
        assert done.code == -signal.SIGKILL, done.err
        assert finished(folder / "new.db").items() <= finished(folder / "theirs.db").items()
        found = [path.name for path in (folder / "new-artifacts").glob("??/*")]
        assert len(found) >= known and all(Artifacts(folder / "new-artifacts").is_sound(name) for name in found)
        known = len(found)
    assert known == artifacts and len(finished(folder / "new.db")) == 19
    assert merge(stillproof, folder, "new.db")["runs"] == 2
    assert finished(folder / "new.db") == finished(folder / "theirs.db")
    assert rows(stillproof, folder, "talk", "new.db") == rows(stillproof, folder, "talk", "theirs.db")
    tables = "SELECT id, kind, name, cell, bytes, tensors_bytes FROM artifacts ORDER BY id"
    assert query(folder / "new.db", tables) == query(folder / "theirs.db", tables)


def test_a_store_without_its_artifacts_is_merged_as_far_as_it_goes(folder: Path, stillproof: Commands) -> None:
    (folder / "theirs-artifacts").rename(folder / "moved")
    done = stillproof("db", "merge", "theirs.db", "--store", "new.db", cwd=folder)
    assert done.code == 4 and "Traceback" not in done.err
    assert "theirs-artifacts is not there: put it right, or name another folder with --artifacts" in done.err
    assert "0 answers, 2 runs and 0 artifacts came" in done.out
    assert "random digits ipc 1 seed 0" in done.err and " and 14 more." in done.err, "what did not come is named"
    assert query(folder / "new.db", "SELECT DISTINCT status FROM cells") == [("pending",)]
    named = ["db", "merge", "theirs.db", "--artifacts", "moved", "--store", "new.db"]
    assert len(stillproof(*named, "--json", cwd=folder).json()["answers"]) == 19
    assert finished(folder / "new.db") == finished(folder / "theirs.db")


def test_a_run_is_removed_and_what_others_use_stays(folder: Path, stillproof: Commands) -> None:
    merge(stillproof, folder)
    done = stillproof("db", "rm", "talk", "--store", "ours.db", cwd=folder)
    assert "run 1 'talk' is removed, with 6 cells and 6 artifacts" in done.out
    assert "10 of its cells stay: run 2 'talk-2' needs them" in done.out
    assert "4 of its cells" not in done.out and "2 of its cells stay: train 3 needs them" in done.out
    assert rows(stillproof, folder, "talk-2", "ours.db") == rows(stillproof, folder, "talk", "theirs.db")
    pruned = stillproof("db", "prune", "--store", "ours.db", "--json", cwd=folder).json()
    assert pruned["cells"] == pruned["artifacts"] == pruned["folders"] == [] and pruned["bytes"] == 0
    gone = stillproof("db", "rm", "talk-2", "--store", "ours.db", "--json", cwd=folder).json()
    assert gone["stayed"] == [{"run": 3, "name": None, "cells": 2}] and gone["used_otherwise"] == 0
    assert len(finished(folder / "ours.db")) == 3, "the single score, and what was derived from it"


def test_a_store_in_use_is_left_alone(tmp_path: Path, stillproof: Commands) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    store = tmp_path / "stillproof.db"
    slow = ["--methods", "slow", "--seeds", "1", "--set", "full_recipe=", "--plugin", "slow.py"]
    started = stillproof.start(*SMOKE, *slow, cwd=tmp_path)
    wait_until(lambda: query(store, "SELECT id FROM cells WHERE status = 'running'"))
    for verb, words in ((["rm", "1"], "run 1 is being computed"), (["prune"], "is in use")):
        done = stillproof("db", *verb, cwd=tmp_path)
        assert done.code == 4 and words in done.sentence() and done.sentence().endswith("nothing was removed.")
    assert len(query(store, "SELECT id FROM cells")) == 3
    os.killpg(started.pid, signal.SIGKILL)
    stillproof.finish(started)
    assert "with 3 cells" in stillproof("db", "rm", "1", cwd=tmp_path).out
