from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import TINY, Commands, Started, is_alive, query, wait_until

SMOKE = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", *TINY, "--seeds", "2"]
SLOW = [*SMOKE, "--methods", "random,slow", "--set", "full_recipe=", "--plugin", "slow.py"]
PLUGIN = """
import time
from dataclasses import dataclass
from pathlib import Path
from stillproof import distillers
from stillproof.distill.random import RandomImages

@distillers.register("slow", version=1)
@dataclass(frozen=True)
class Slow(RandomImages):
    \"\"\"Takes its time, once.\"\"\"

    def distill(self, data, ipc, ctx):
        flag = Path("{folder}", "begun")
        if not flag.exists():
            flag.touch()
            time.sleep({seconds})
        return super().distill(data, ipc, ctx)
"""
DISTILLING = "SELECT id, owner FROM cells WHERE status = 'running' AND stage = 'distill'"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who lives")


def plugin(folder: Path, seconds: float) -> None:
    (folder / "slow.py").write_text(PLUGIN.format(folder=folder, seconds=seconds))


@pytest.fixture
def stopped(tmp_path: Path, stillproof: Commands) -> Iterator[Started]:
    """A run that was stopped, as by Ctrl-Z, in the middle of a cell, until after its lease."""
    plugin(tmp_path, 30)
    started = stillproof.start(*SLOW, "--workers", "1", cwd=tmp_path, env={"STILLPROOF_LEASE": "1s"})
    wait_until(lambda: (tmp_path / "begun").exists() and query(tmp_path / "stillproof.db", DISTILLING))
    os.kill(started.pid, signal.SIGSTOP)
    time.sleep(1.5)
    yield started
    if is_alive(started.pid):
        os.kill(started.pid, signal.SIGKILL)


def test_a_stopped_run_is_not_robbed_but_named_and_its_cell_can_be_freed(
    tmp_path: Path, stillproof: Commands, stopped: Started
) -> None:
    store = tmp_path / "stillproof.db"
    ((cell, owner),) = query(store, DISTILLING)
    second = stillproof.start(*SLOW, "--workers", "1", cwd=tmp_path)
    wait_until(lambda: second.err.exists() and "waiting: cell" in second.err.read_text())
    assert query(store, DISTILLING) == [(cell, owner)], "not robbed"
    (silent,) = stillproof("status", "--json", cwd=tmp_path).json()["silent"]
    assert silent["cell"] == cell and f"process {stopped.pid} on" in silent["by"] and silent["seconds"] > 0
    assert f"stillproof status --release {cell[:12]}" in stillproof("status", cwd=tmp_path).out
    freed = stillproof("status", "--release", cell[:12], cwd=tmp_path)
    assert freed.code == 0 and f"process {stopped.pid} on" in freed.out, freed.err
    done = stillproof.finish(second)
    assert done.code == 0 and "Traceback" not in done.err, done.err
    before = query(store, "SELECT id, finished FROM cells ORDER BY id")
    os.kill(stopped.pid, signal.SIGCONT)
    began = time.monotonic()
    first = stillproof.finish(stopped)
    assert time.monotonic() - began < 25, "it left the cell, which sleeps for 30 s"
    assert first.code == 0 and "Traceback" not in first.err and f"cell {cell[:12]} is no longer held" in first.err
    assert (first.out, query(store, "SELECT id, finished FROM cells ORDER BY id")) == (done.out, before)
    assert {state for (state,) in query(store, "SELECT DISTINCT status FROM cells")} == {"done"}


@pytest.mark.slow
def test_a_stopped_run_that_is_continued_finishes_its_cell(
    tmp_path: Path, stillproof: Commands, stopped: Started
) -> None:
    second = stillproof.start(*SLOW, "--workers", "1", cwd=tmp_path)
    wait_until(lambda: second.err.exists() and "waiting: cell" in second.err.read_text())
    os.kill(stopped.pid, signal.SIGCONT)
    done = [stillproof.finish(stopped), stillproof.finish(second)]
    assert [one.code for one in done] == [0, 0] and done[0].out == done[1].out
    assert query(tmp_path / "stillproof.db", "SELECT DISTINCT status, attempts FROM cells") == [("done", 1)]


def test_cells_that_cannot_be_released(tmp_path: Path, stillproof: Commands) -> None:
    assert stillproof(*SMOKE, "--methods", "random", cwd=tmp_path).code == 0
    ((cell,), *_) = query(tmp_path / "stillproof.db", "SELECT id FROM cells")
    for text, problem in ((cell, "nobody holds cell"), ("0" * 64, "no cell of this store"), ("%", "no cell of")):
        done = stillproof("status", "--release", text, cwd=tmp_path)
        assert done.code == 2 and problem in done.sentence()


@pytest.mark.slow
def test_a_cell_over_the_limit_fails_and_the_rest_goes_on(tmp_path: Path, stillproof: Commands) -> None:
    plugin(tmp_path, 100)
    done = stillproof(*SLOW, "--cell-limit", "8s", "--workers", "2", cwd=tmp_path)
    assert done.code == 1 and "took longer than 8 s, the limit for one cell" in done.err, done.err
    states = query(tmp_path / "stillproof.db", "SELECT status, COUNT(*) FROM cells GROUP BY status")
    assert dict(states)["done"] > dict(states)["failed"] >= 1
    assert stillproof(*SLOW, "--cell-limit", "1h30m", cwd=tmp_path).code == 0
    for text in ("2", "h", "0s", "-1s", "1e9h", "99999999d", "2 h"):
        wrong = stillproof(*SMOKE, "--cell-limit", text, cwd=tmp_path)
        assert wrong.code == 2 and "--cell-limit" in wrong.sentence()
