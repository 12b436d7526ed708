from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core import other_processes
from stillproof.core.other_processes import OtherProcesses

SECOND = os.sysconf("SC_CLK_TCK")
Reading = tuple[float, float, float]


def share_between(monkeypatch: pytest.MonkeyPatch, before: Reading | None, after: Reading | None) -> float | None:
    readings = iter([before, after])
    monkeypatch.setattr(other_processes, "_read", lambda: next(readings))
    with OtherProcesses() as others:
        pass
    return others.share


def test_what_is_busy_and_not_ours_is_others(monkeypatch: pytest.MonkeyPatch) -> None:
    # Ten seconds of two processors: twelve of twenty busy, seven of them by this process.
    found = share_between(monkeypatch, (100.0, 40.0, 3.0), (120.0, 52.0, 10.0))
    assert found == pytest.approx(0.25, abs=(os.cpu_count() or 1) / SECOND)


def test_a_tick_of_the_clock_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    tick, processors = 1 / SECOND, os.cpu_count() or 1
    assert share_between(monkeypatch, (0.0, 0.0, 0.0), (12 * tick, 7 * tick, 6 * tick)) == 0.0
    busy = (6 + 2 * processors) * tick
    assert (share_between(monkeypatch, (0.0, 0.0, 0.0), (12 * tick, busy, 6 * tick)) or 0) > 0.05


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 10))
def test_it_is_a_share_however_coarse_the_clocks_are(total: float, busy: float, own: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        share = share_between(patch, (0.0, 0.0, 0.0), (total, busy, own))
    assert share is None if total == 0 else share is not None and 0 <= share <= 1


def test_where_the_system_does_not_tell_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert share_between(monkeypatch, None, None) is None
    monkeypatch.undo()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert other_processes._read() is None


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_idle_and_guests_are_not_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "cpu  " + " ".join(str(n * SECOND) for n in (10, 1, 2, 50, 5, 1, 1, 3, 7, 7)) + "\ncpu0 1 2 3\n"
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: line)
    reading = other_processes._read()
    assert reading is not None and reading[:2] == (73.0, 18.0)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_own_work_is_not_that_of_others() -> None:
    before = other_processes._read()
    sum(number * number for number in range(2_000_000))
    after = other_processes._read()
    assert before is not None and after is not None and after[2] - before[2] > 0.01
