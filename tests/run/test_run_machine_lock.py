"""The lock of this machine, where its file is in trouble."""

from __future__ import annotations

from pathlib import Path

import pytest

from stillproof.core.errors import StoreError
from stillproof.run import machine_lock
from stillproof.run.machine_lock import machine


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    return machine_lock.lock_file()


def test_who_is_alone_keeps_others_out_and_the_other_way_round(lock: Path) -> None:
    with machine(alone=False) as first, machine(alone=False) as second, machine(alone=True) as alone:
        assert (first, second, alone) == (True, True, False)
    with machine(alone=True) as alone, machine(alone=False) as beside, machine(alone=True) as another:
        assert (alone, beside, another) == (True, False, False)
    with machine(alone=True) as free:
        assert free


def test_a_lock_that_cannot_be_opened_is_one_sentence(lock: Path) -> None:
    lock.mkdir()
    with pytest.raises(StoreError, match=rf"{lock} cannot be used: "), machine(alone=False):
        pass


def test_what_fails_under_the_lock_is_left_as_it_is(lock: Path) -> None:
    with pytest.raises(OSError, match="mine"), machine(alone=False):
        raise OSError("mine")
