"""Checkpoints of one cell by several writers, of whom one may have lost the cell without knowing."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import torch

from stillproof.core.checkpoint import load, save_loop
from stillproof.core.context import Context
from stillproof.core.errors import LeaseLost, StoreError
from stillproof.core.scratch import writer_name
from stillproof.core.seeds import Seeds


def context(scratch: Path) -> Context:
    return Context(Seeds(0), scratch=scratch, checkpoint_seconds=0.0)


def go_on(ctx: Context, steps: int, total: int = 10) -> list[int]:
    """Make some steps of a loop, then leave it as a process that is killed does; return which."""
    sums, made = torch.zeros(1), []
    for step in ctx.loop(total, sums=sums):
        sums += step
        made.append(step)
        if len(made) == steps:
            break
    assert sums.item() == sum(range(made[-1] + 1))
    return made


def test_a_writer_that_lost_its_cell_overwrites_nothing_of_its_successor(tmp_path: Path) -> None:
    """It was suspended between its question whether the cell is still its own and its writing."""
    slow, successor = context(tmp_path), context(tmp_path)
    assert go_on(slow, 3) == [0, 1, 2]
    sums = torch.zeros(1)
    before = slow.loop(10, sums=sums)  # it has read what there is, and will save step 3 when it is woken up
    assert next(before) == 2
    assert go_on(successor, 5) == [2, 3, 4, 5, 6]
    (of_successor,) = tmp_path.iterdir()
    kept = of_successor.read_bytes()
    sums += 2
    assert next(before) == 3, "it saved what it had, with nobody to stop it"
    assert of_successor.read_bytes() == kept
    assert len(list(tmp_path.iterdir())) == 2
    assert go_on(context(tmp_path), 4) == [6, 7, 8, 9], "whoever comes next goes on from the furthest"


def test_what_a_writer_went_on_from_goes_when_it_has_saved_more(tmp_path: Path) -> None:
    for _ in range(4):
        go_on(context(tmp_path), 2)
        assert len(list(tmp_path.iterdir())) == 1
    begun = context(tmp_path)
    assert go_on(begun, 1) == [4]
    assert len(list(tmp_path.iterdir())) == 1, "nothing goes before there is more"


def test_a_damaged_one_is_passed_over_for_the_next(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="stillproof")
    for number, step in enumerate((3, 7, 5)):
        parts = {"sums": torch.tensor([float(sum(range(step)))])}
        save_loop(tmp_path / f"steps.writer-{number}.checkpoint", step, parts, {"history": [], "segments": []})
    data = bytearray((tmp_path / "steps.writer-1.checkpoint").read_bytes())
    data[-1] ^= 1
    (tmp_path / "steps.writer-1.checkpoint").write_bytes(data)
    assert go_on(context(tmp_path), 1) == [5]
    assert "writer-1.checkpoint cannot be read" in caplog.text


def test_one_that_an_earlier_version_left_is_gone_on_from(tmp_path: Path) -> None:
    parts = {"sums": torch.tensor([6.0])}
    save_loop(tmp_path / "steps.checkpoint", 4, parts, {"history": [], "segments": []})
    assert go_on(context(tmp_path), 2) == [4, 5]
    (left,) = tmp_path.iterdir()
    assert left.name != "steps.checkpoint" and load(left)["step"] == 5


def test_names_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    ctx = Context(Seeds(0), scratch=tmp_path, snapshot_steps=frozenset({2, 20}))
    ctx.snapshot(20, torch.full((1,), 20.0))
    assert context(tmp_path).snapshots() == {}
    other = Context(Seeds(0), scratch=tmp_path, snapshot_steps=frozenset({2, 20}))
    assert other.snapshots().keys() == {20}
    other.snapshot(2, torch.full((1,), 2.0))
    assert {step: kept["images"].item() for step, kept in ctx.snapshots().items()} == {2: 2.0, 20: 20.0}


def test_a_loop_that_is_gone_through_twice_keeps_what_it_saved(tmp_path: Path) -> None:
    ctx = context(tmp_path)
    assert list(ctx.loop(10, sums=torch.zeros(1))) == list(range(10))
    assert list(ctx.loop(12, sums=torch.zeros(1))) == [10, 11]
    assert load(next(tmp_path.iterdir()))["step"] == 12


def test_whose_folder_has_gone_learns_first_that_the_cell_has(tmp_path: Path) -> None:
    def lost() -> None:
        raise LeaseLost("another has it")

    (tmp_path / "file").touch()
    ctx = context(tmp_path / "file" / "scratch")
    loop = ctx.loop(10, sums=torch.zeros(1))
    next(loop)
    with pytest.raises(StoreError, match="cannot be written"):
        next(loop)
    asked = iter([lambda: None, lost])
    again = Context(
        Seeds(0), scratch=tmp_path / "file" / "scratch", checkpoint_seconds=0.0, check=lambda: next(asked)()
    )
    loop = again.loop(10, sums=torch.zeros(1))
    next(loop)
    with pytest.raises(LeaseLost):
        next(loop)


def test_every_computation_writes_under_a_name_of_its_own() -> None:
    names = {writer_name() for _ in range(100)}
    assert len(names) == 100 and all(name.replace("-", "").isalnum() for name in names)
