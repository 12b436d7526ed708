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
    assert owner.life_of(owner.this_owner()) == "alive"


@linux
def test_a_process_that_ended_is_dead() -> None:
    code = "from stillproof.store.owner import this_owner; import sys; sys.stdout.write(this_owner())"
    name = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert name != owner.this_owner()
    assert owner.life_of(name) == "dead"


@linux
def test_a_reused_pid_is_another_process() -> None:
    machine, _, started = owner.this_owner().rpartition("/")
    assert owner.life_of(f"{machine}/{int(started) - 1}") == "dead"


@linux
def test_what_cannot_be_seen_from_here_is_not_dead() -> None:
    host, boot, namespace, _, started = owner.this_owner().split("/")
    gone = 2**22 + 1  # above the largest pid there can be
    assert owner.life_of("/".join([host, boot, namespace, str(gone), started])) == "dead"
    for other in (["elsewhere", boot, namespace], [host, "other-boot", namespace], [host, boot, "pid:[1]"]):
        assert owner.life_of("/".join([*other, str(gone), started])) == "unknown"


def test_elsewhere_nobody_is_dead(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(owner, "_PROC", tmp_path)
    name = owner.this_owner()
    assert name.split("/")[1] == str(os.getpid()) and name == owner.this_owner()
    for nobody in (name, "just a name", "", f"{name.rpartition('/')[0]}/{'9' * 5000}/1"):
        assert owner.life_of(nobody) == "unknown"


@linux
def test_a_name_with_brackets_and_spaces_does_not_confuse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(owner, "_PROC", tmp_path)
    (tmp_path / "7").mkdir()
    stat = "7 (a) b (c) {} 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 {} 0 4711 1000 10"
    for state, threads, started in (("S", 1, "4711"), ("Z", 1, "ended"), ("Z", 3, "4711")):
        (tmp_path / "7" / "stat").write_text(stat.format(state, threads))
        assert owner._started(7) == started, "a leader that ended while its threads run is alive"


@linux
def test_a_worker_that_ended_is_dead_to_its_own_process_and_its_process_alive_to_others() -> None:
    ask = "import sys; from stillproof.store.owner import life_of; sys.stdout.write(life_of(sys.argv[1]))"

    def life_elsewhere(name: str) -> str:
        return subprocess.run([sys.executable, "-c", ask, name], check=True, capture_output=True, text=True).stdout

    with owner.worker_name() as name, owner.worker_name() as other:
        assert name != other and owner.life_of(name) == owner.life_of(other) == life_elsewhere(name) == "alive"
    assert owner.life_of(name) == "dead" and life_elsewhere(name) == "alive"
