"""Workers that have nothing but a store: stillproof work."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from commands import TINY, Commands, finished, query, wait_until

SUITE = ["dd-ranking", "--dataset", "digits", "--scale", "smoke", "--methods", "random", "--ipc", "1", "--seeds", "1"]
LONG = [
    "accuracy",
    "--dataset",
    "digits",
    "--scale",
    "smoke",
    *TINY,
    "--methods",
    "dm:steps=20000,random",
    "--ipc",
    "1",
]
LONG += ["--seeds", "1", "--set", "full_recipe="]
DISTILLING = "SELECT progress FROM cells WHERE status = 'running' AND stage = 'distill' AND progress > 0"
OTHER = '"generations":{"distill/dm.py":9},"name":"dm"'
PLUGIN = '''
from dataclasses import dataclass
from stillproof import distillers
from stillproof.distill.random import RandomImages

@distillers.register("mine", version=1)
@dataclass(frozen=True)
class Mine(RandomImages):
    """As random."""
'''

FAILS = (
    PLUGIN
    + """
    def distill(self, data, ipc, ctx):
        raise RuntimeError("it went off")
"""
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who lives")


def change(store: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(store)) as connection, connection:
        assert connection.execute(statement, values).rowcount > 0


def test_workers_that_know_nothing_but_the_store_give_the_table_of_a_plain_run(
    tmp_path: Path, stillproof: Commands
) -> None:
    planned = stillproof("run", *SUITE, "--plan-only", "--name", "a", "--json", "--store", "w.db", cwd=tmp_path).json()
    assert planned["states"] == {"pending": planned["cells"] - query_open(tmp_path, planned)}
    assert "unfinished" not in stillproof("status", "--store", "w.db", cwd=tmp_path).out, "a plan needs its cells"
    for_run = ("work", "--run", "a", "--threads", "1", "--json", "--store", "w.db")
    others = [stillproof.start(*for_run, cwd=tmp_path) for _ in range(2)]
    done = [stillproof.finish(other).json() for other in others]
    assert min(one["left"] for one in done) == 0, "whoever ends first may leave what the other computes"
    assert all(one["stopped"] == "" and one["computed"] for one in done)
    states = dict(query(tmp_path / "w.db", "SELECT status, COUNT(*) FROM cells GROUP BY status"))
    assert states == {"done": sum(one["computed"] for one in done)}
    assert states["done"] > planned["cells"], "its searches of rates have brought in more"
    assert stillproof("run", *SUITE, "--name", "a", "--store", "plain.db", cwd=tmp_path).code == 0
    tables = [stillproof("table", "--run", "a", "--format", "json", "--store", s, cwd=tmp_path).out for s in STORES]
    assert tables[0] == tables[1] and json.loads(tables[0])


STORES = ("w.db", "plain.db")


def query_open(folder: Path, planned: dict[str, int]) -> int:
    """The cells that are open: they are in the plan, and not in the store yet."""
    (entered,) = query(folder / "w.db", "SELECT COUNT(*) FROM plan_cells")[0]
    return planned["cells"] - int(entered)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2])
def test_a_worker_that_is_asked_to_stop_leaves_a_checkpoint_of_just_now(
    tmp_path: Path, stillproof: Commands, number: signal.Signals
) -> None:
    stillproof("run", *LONG, "--plan-only", cwd=tmp_path)
    started = stillproof.start("work", "--json", cwd=tmp_path)
    store = tmp_path / "stillproof.db"
    wait_until(lambda: query(store, DISTILLING))
    assert not list((tmp_path / "stillproof-artifacts").rglob("*.checkpoint")), "none was due"
    os.kill(started.pid, number)
    done = stillproof.finish(started).json()
    assert done["stopped"] == number.name and done["left"] > 0
    assert list((tmp_path / "stillproof-artifacts").rglob("*.checkpoint"))
    assert query(store, "SELECT COUNT(*) FROM cells WHERE status = 'running'") == [(0,)]
    assert query(store, "SELECT MAX(attempts) FROM cells WHERE status = 'pending'") == [(0,)]
    assert query(store, "SELECT COUNT(*) FROM workers WHERE ended IS NULL") == [(0,)]


def test_a_cell_of_two_plans_is_left_once(tmp_path: Path, stillproof: Commands) -> None:
    """As of a run and of a part of it."""
    whole = stillproof("run", *LONG, "--plan-only", "--json", cwd=tmp_path).json()
    stillproof("run", *LONG, "--only", "dm", "--plan-only", cwd=tmp_path)
    done = stillproof("work", "--for", "1s", "--json", cwd=tmp_path).json()
    assert done["left"] + done["computed"] == whole["cells"]


def test_a_run_that_ends_with_its_first_failure_keeps_no_worker_from_others(
    tmp_path: Path, stillproof: Commands
) -> None:
    small = ["accuracy", "--dataset", "digits", "--scale", "smoke", *TINY, "--ipc", "1", "--seeds", "1"]
    small += ["--set", "full_recipe="]
    (tmp_path / "mine.py").write_text(FAILS)
    stillproof("run", *small, "--methods", "mine", "-x", "--plugin", "mine.py", "--plan-only", cwd=tmp_path)
    stillproof("run", *small, "--methods", "random", "--plan-only", "--name", "other", cwd=tmp_path)
    for _ in range(2):  # the second time, it failed before
        done = stillproof("work", "--plugin", "mine.py", "--json", cwd=tmp_path).json()
        assert done["stopped"] == "a cell of run 1 failed, which ends it with -x" and done["left"] > 0
    assert stillproof("work", "--run", "other", "--json", cwd=tmp_path).json()["left"] == 0


def test_a_worker_stops_before_its_time_is_over(tmp_path: Path, stillproof: Commands) -> None:
    stillproof("run", *LONG, "--plan-only", cwd=tmp_path)
    done = stillproof("work", "--for", "2s", "--json", cwd=tmp_path).json()
    assert done["stopped"] == "its time was over" and done["left"] > 0
    assert query(tmp_path / "stillproof.db", "SELECT COUNT(*) FROM cells WHERE status = 'running'") == [(0,)]


def test_status_shows_who_works_and_at_what(tmp_path: Path, stillproof: Commands) -> None:
    stillproof("run", *LONG, "--plan-only", cwd=tmp_path)
    started = stillproof.start("work", cwd=tmp_path, env={"SLURM_JOB_ID": "4711"})
    wait_until(lambda: query(tmp_path / "stillproof.db", DISTILLING))
    (worker,) = stillproof("status", "--json", cwd=tmp_path).json()["workers"]
    shown = stillproof("status", cwd=tmp_path).out
    os.kill(started.pid, signal.SIGKILL)
    stillproof.finish(started)
    assert worker["label"].startswith("dm:steps=20000") and worker["job"] == "Slurm job 4711"
    assert str(started.pid) in shown and "Slurm job 4711" in shown
    assert stillproof("status", "--json", cwd=tmp_path).json()["workers"] == [], "it is seen to be dead"


def test_a_plug_in_of_the_store_runs_only_if_it_is_allowed(tmp_path: Path, stillproof: Commands) -> None:
    (tmp_path / "mine.py").write_text(PLUGIN)
    small = ["accuracy", "--dataset", "digits", "--scale", "smoke", *TINY, "--methods", "mine", "--set", "full_recipe="]
    assert stillproof("run", *small, "--plugin", "mine.py", "--plan-only", cwd=tmp_path).code == 0
    ((name,),) = query(tmp_path / "stillproof.db", "SELECT hash FROM plugins")
    (tmp_path / "mine.py").unlink()
    refused = stillproof("work", "--run", "1", cwd=tmp_path)
    assert refused.code == 2 and "mine.py of the store runs only if it is allowed here" in refused.sentence()
    assert name in refused.err and not finished(tmp_path / "stillproof.db")
    change(tmp_path / "stillproof.db", "UPDATE plugins SET content = replace(content, 'As random', 'Evil')")
    changed = stillproof("work", "--run", "1", "--allow-plugin", name, cwd=tmp_path)
    assert changed.code == 4 and "is not what its hash says" in changed.sentence()
    change(tmp_path / "stillproof.db", "UPDATE plugins SET content = replace(content, 'Evil', 'As random')")
    assert stillproof("work", "--run", "1", "--allow-plugin", name, "--json", cwd=tmp_path).json()["left"] == 0


def test_a_worker_of_other_code_computes_nothing_and_says_both_versions(tmp_path: Path, stillproof: Commands) -> None:
    stillproof("run", *LONG, "--plan-only", cwd=tmp_path)
    store = tmp_path / "stillproof.db"
    change(store, "UPDATE cells SET spec = replace(spec, ?, ?)", '"name":"dm"', OTHER)
    change(store, "DELETE FROM plan_cells WHERE cell NOT IN (SELECT id FROM cells WHERE spec LIKE '%dm.py%')")
    done = stillproof("work", cwd=tmp_path)
    assert done.code == 2 and not finished(store)
    assert "distiller 'dm' of version 1, generation 9 of distill/dm.py, which is of version 1 here" in done.sentence()
    assert query(store, "SELECT DISTINCT status, attempts FROM cells WHERE stage = 'distill'") == [("pending", 0)]


def test_what_there_is_to_say_where_there_is_nothing_to_do(tmp_path: Path, stillproof: Commands) -> None:
    missing = stillproof("work", cwd=tmp_path)
    assert missing.code == 4 and "plan a run first" in missing.sentence()
    assert not (tmp_path / "stillproof.db").exists()
    assert stillproof("distill", "digits", "random", "--ipc", "1", cwd=tmp_path).code == 0
    nothing = stillproof("work", cwd=tmp_path)
    assert nothing.code == 0 and "0 cells computed here, 0 left" in nothing.err
    assert stillproof("work", "--run", "none", cwd=tmp_path).code == 2


def test_a_round_that_cannot_be_planned_is_told_and_tried_again_by_the_run(
    tmp_path: Path, stillproof: Commands
) -> None:
    stillproof("run", *SUITE, "--plan-only", "--name", "a", cwd=tmp_path)
    store = tmp_path / "stillproof.db"
    ((question,),) = query(store, "SELECT question FROM plans")
    change(store, "UPDATE plans SET question = replace(question, '\"digits\"', '\"no-such-data\"')")
    done = stillproof("work", "--json", cwd=tmp_path)
    assert done.json()["left"] == 0 and "cannot be planned again" in done.err
    troubled = stillproof("status", "--json", cwd=tmp_path).json()["troubled"]
    assert "no-such-data" in troubled["1"] and "cannot be planned further" in stillproof("status", cwd=tmp_path).out
    assert stillproof("run", *SUITE, "--name", "a", cwd=tmp_path).code == 0
    assert query(store, "SELECT question, open, trouble FROM plans") == [(question, 0, None)]
