from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stillproof.store import owner

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who lives")


@linux
def test_this_process_is_alive_and_keeps_its_name() -> None:
    assert owner.this_owner() == owner.this_owner()
    assert not owner.is_dead(owner.this_owner())


@linux
def test_a_process_that_ended_is_dead() -> None:
    code = "from stillproof.store.owner import this_owner; import sys; sys.stdout.write(this_owner())"
    name = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert name != owner.this_owner()
    assert owner.is_dead(name)


@linux
def test_a_reused_pid_is_another_process() -> None:
    machine, _, started = owner.this_owner().rpartition("/")
    assert owner.is_dead(f"{machine}/{int(started) - 1}")


@linux
def test_what_cannot_be_seen_from_here_is_not_dead() -> None:
    host, boot, namespace, _, started = owner.this_owner().split("/")
    gone = 2**22 + 1  # above the largest pid there can be
    assert owner.is_dead("/".join([host, boot, namespace, str(gone), started]))
    for other in (["elsewhere", boot, namespace], [host, "other-boot", namespace], [host, boot, "pid:[1]"]):
        assert not owner.is_dead("/".join([*other, str(gone), started]))


def test_elsewhere_nobody_is_dead(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(owner, "_PROC", tmp_path)
    name = owner.this_owner()
    assert name.split("/")[1] == str(os.getpid()) and name == owner.this_owner()
    assert not owner.is_dead(name)
    assert not owner.is_dead("just a name") and not owner.is_dead("")


@linux
def test_a_name_with_brackets_and_spaces_does_not_confuse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(owner, "_PROC", tmp_path)
    (tmp_path / "7").mkdir()
    stat = "7 (a) b (c) {} 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 {} 0 4711 1000 10"
    for state, threads, started in (("S", 1, "4711"), ("Z", 1, "ended"), ("Z", 3, "4711")):
        (tmp_path / "7" / "stat").write_text(stat.format(state, threads))
        assert owner._started(7) == started, "a leader that ended while its threads run is alive"
