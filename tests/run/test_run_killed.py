from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from commands import TINY, Commands, Started, descendants, finished, is_alive, query, wait_until
from stillproof.store.artifacts import Artifacts

SUITE = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--methods", "random,herding,dm", *TINY]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for orphans in /proc")


def test_killed_at_random_moments_and_resumed_gives_the_same_table(tmp_path: Path, stillproof: Commands) -> None:
    _kill_and_compare(tmp_path, stillproof, seeds=5, kills=["group", "parent"], seconds=0.7)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_killed_many_times(tmp_path: Path, stillproof: Commands) -> None:
    kinds = random.Random(0).choices(["group", "parent"], k=20)
    _kill_and_compare(tmp_path, stillproof, seeds=60, kills=kinds, seconds=3.0)


def _kill_and_compare(folder: Path, stillproof: Commands, *, seeds: int, kills: list[str], seconds: float) -> None:
    command = [*SUITE, "--seeds", str(seeds)]
    store = folder / "killed.db"
    moments = random.Random()
    for kind in kills:
        before = finished(store)
        started = stillproof.start(*command, "--workers", "2", "--store", str(store), cwd=folder)
        _wait_for_work(store, started)
        time.sleep(moments.uniform(0, seconds))
        children = descendants(started.pid)
        _kill(started.pid, kind)
        stillproof.finish(started)
        _wait_for_end(children)
        assert _unchanged(before, finished(store))
    before = finished(store)
    assert stillproof(*command, "--store", str(store), cwd=folder).code == 0  # in one process: as good as in a pool
    assert _unchanged(before, finished(store))
    assert query(store, "SELECT status, COUNT(*) FROM cells GROUP BY status") == [("done", seeds * 12)]
    artifacts = Artifacts(folder / "killed-artifacts")  # a kill may leave a part of one aside, but none in its place
    assert all(artifacts.is_sound(path.name) for path in artifacts.root.glob("??/*"))
    whole = folder / "whole.db"
    stillproof(*command, "--store", str(whole), cwd=folder)
    for form in ("csv", "json"):
        tables = [
            stillproof("table", "accuracy", "--format", form, "--store", str(s), cwd=folder) for s in (store, whole)
        ]
        assert tables[0] == tables[1] and tables[0].code == 0 and tables[0].out


def test_a_killed_run_leaves_no_semaphore_behind(tmp_path: Path, stillproof: Commands) -> None:
    store = tmp_path / "s.db"
    started = stillproof.start(*SUITE, "--seeds", "9", "--workers", "2", "--store", str(store), cwd=tmp_path)
    _wait_for_work(store, started)
    children = descendants(started.pid)  # among them one that would complain, once all others are gone
    os.kill(started.pid, signal.SIGKILL)
    stillproof.finish(started)
    _wait_for_end(children)
    assert "leaked" not in started.err.read_text()


def _wait_for_work(store: Path, started: Started) -> None:
    wait_until(lambda: _running(store) or not is_alive(started.pid))


def _wait_for_end(children: set[int]) -> None:
    wait_until(lambda: not any(map(is_alive, children)), 15)


def _kill(pid: int, kind: str) -> None:
    if kind == "group":
        os.killpg(pid, signal.SIGKILL)
    else:
        os.kill(pid, signal.SIGKILL)


def _running(store: Path) -> bool:
    """Whether a living worker computes a cell: one that was killed still has its claim."""
    owners = query(store, "SELECT owner FROM cells WHERE status = 'running'")
    return any(is_alive(int(owner.split("/")[-2])) for (owner,) in owners)


def _unchanged(before: dict[str, float], after: dict[str, float]) -> bool:
    return before.items() <= after.items()
