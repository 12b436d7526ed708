from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from commands import TINY, Commands, finished, query, wait_until

SUITE = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--methods", "random,dm", "--seeds", "12", *TINY]
SENTENCE = "stillproof: stopped; finished work is kept, and the same command resumes from here."


@pytest.mark.parametrize(
    ("workers", "number"),
    [("1", signal.SIGINT), ("2", signal.SIGINT), pytest.param("2", signal.SIGTERM, marks=pytest.mark.slow)],
)
def test_stopped_by_the_user(tmp_path: Path, stillproof: Commands, workers: str, number: signal.Signals) -> None:
    store = tmp_path / "s.db"
    started = stillproof.start(*SUITE, "--workers", workers, "--store", "s.db", cwd=tmp_path)
    wait_until(lambda: len(finished(store)) > 2)
    if number is signal.SIGINT:
        os.killpg(started.pid, number)  # a terminal's Ctrl-C reaches the workers too
    else:
        os.kill(started.pid, number)
    done = stillproof.finish(started)
    assert (done.code, done.out) == (130, "")
    assert [line for line in done.err.splitlines() if line and " cells" not in line and " CPU" not in line] == [
        SENTENCE
    ]
    assert (
        query(
            store,
            "SELECT stage, status, attempts, error FROM cells "
            "WHERE status IN ('running', 'failed') OR owner IS NOT NULL AND status <> 'done'",
        )
        == []
    )
    assert query(store, "SELECT COUNT(*) FROM cells WHERE status = 'pending'") != [(0,)], "it was over too soon"
    if workers == "1":
        before = finished(store)
        assert stillproof(*SUITE, "--store", "s.db", cwd=tmp_path).code == 0
        assert before.items() <= finished(store).items()
        assert query(store, "SELECT DISTINCT status, attempts FROM cells") == [("done", 1)]


def test_in_the_background_a_ctrl_c_that_was_meant_for_others_changes_nothing(
    tmp_path: Path, stillproof: Commands
) -> None:
    suite = [*SUITE[: SUITE.index("--seeds")], "--seeds", "3", *TINY, "--workers", "1", "--store", "s.db"]
    started = stillproof.start(*suite, cwd=tmp_path, background=True)
    wait_until(lambda: finished(tmp_path / "s.db"))
    os.killpg(started.pid, signal.SIGINT)
    assert stillproof.finish(started).code == 0
    assert query(tmp_path / "s.db", "SELECT DISTINCT status FROM cells") == [("done",)]
