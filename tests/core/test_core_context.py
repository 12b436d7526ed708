from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.errors import StoreError
from stillproof.core.scratch import Scratch
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Hard, Space, Stored
from stillproof.testing.toy import TOY, toy_images

STEPS = 6


class Killed(Exception):
    """Stands for a process that ends without warning."""


def context(scratch: Path | None = None, **options: Any) -> Context:
    return Context(Seeds(0), scratch=scratch, **({"checkpoint_seconds": 0.0} | options))


def descend(ctx: Context, *, kill_in: int | None = None) -> tuple[Tensor, list[int]]:
    """Move a tensor by noisy steps with momentum; return it, and the steps that were made here."""
    values = torch.ones(3, requires_grad=True)
    optimiser = torch.optim.SGD([values], lr=0.1, momentum=0.9)
    made = []
    for step in ctx.loop(STEPS, values=values, optimiser=optimiser):
        if step == kill_in:
            raise Killed
        noise = torch.rand(3, generator=ctx.seeds.child("noise", step).torch())
        loss = (values - noise).square().sum()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        ctx.log(step, {"loss": loss.item()})
        made.append(step)
    return values.detach(), made


@pytest.mark.parametrize("kill_in", range(STEPS))
def test_a_killed_loop_goes_on_to_the_very_same_result(tmp_path: Path, kill_in: int) -> None:
    whole = context()
    expected, _ = descend(whole)
    with pytest.raises(Killed):
        descend(context(tmp_path), kill_in=kill_in)
    ctx = context(tmp_path)
    found, made = descend(ctx)
    assert torch.equal(found, expected)
    assert made == list(range(kill_in, STEPS))
    assert ctx.history == whole.history
    assert ctx.notes.get("resumed_at", 0) == kill_in


def test_a_loop_may_be_killed_again_and_again(tmp_path: Path) -> None:
    expected, _ = descend(context())
    for kill_in in (1, 2, 2, 5):
        with pytest.raises(Killed):
            descend(context(tmp_path), kill_in=kill_in)
    assert torch.equal(descend(context(tmp_path))[0], expected)


def test_a_finished_loop_gives_its_result_without_a_step(tmp_path: Path) -> None:
    expected, _ = descend(context(tmp_path))
    again = context(tmp_path)
    found, made = descend(again)
    assert torch.equal(found, expected)
    assert made == []
    assert len(list(tmp_path.iterdir())) == 1
    assert [point["step"] for point in again.history] == list(range(STEPS))


def test_loops_of_different_names_do_not_mix(tmp_path: Path) -> None:
    first, second = torch.zeros(1), torch.zeros(1)
    ctx = context(tmp_path)
    for _ in ctx.loop(2, name="first", part=first):
        first += 1
    for _ in ctx.loop(3, name="second", part=second):
        second += 1
    assert (first.item(), second.item()) == (2, 3)


def test_a_loop_saves_itself_by_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 4))  # four seconds pass between two looks at it
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    saved = []
    monkeypatch.setattr(Scratch, "save_loop", lambda files, name, step, *others: saved.append(step))
    assert list(context(tmp_path, checkpoint_seconds=10.0).loop(8)) == list(range(8))
    assert saved == [3, 6, 8]


def test_without_scratch_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    descend(context())
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = descend(context())
    with pytest.raises(Killed):
        descend(context(tmp_path), kill_in=3)

    def stop_half_way(descriptor: int) -> None:
        os.ftruncate(descriptor, 100)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", stop_half_way)
        with pytest.raises(Killed):
            descend(context(tmp_path))
    found, made = descend(context(tmp_path))
    assert torch.equal(found, expected)
    assert made == [3, 4, 5]


def test_the_ruins_of_a_checkpoint_are_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    expected, _ = descend(context())
    with pytest.raises(Killed):
        descend(context(tmp_path), kill_in=3)
    (checkpoint,) = tmp_path.iterdir()
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    found, made = descend(context(tmp_path))
    assert torch.equal(found, expected)
    assert made == [0, 1, 2, 3, 4, 5]
    assert "cannot be read" in caplog.text


def test_a_checkpoint_that_cannot_be_written_is_store_trouble(tmp_path: Path) -> None:
    (tmp_path / "scratch").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="cannot be written"):
        descend(context(tmp_path / "scratch"))


def test_the_share_done_is_reported_from_nothing_to_all() -> None:
    shares: list[float] = []
    list(context(report=shares.append).loop(4))
    assert shares == [0, 0.25, 0.5, 0.75, 1]


def test_numbers_of_numpy_and_torch_can_be_logged_and_resumed(tmp_path: Path) -> None:
    ctx = context(tmp_path)
    for step in ctx.loop(1):
        ctx.log(step, {"a": np.float64(0.5), "b": np.float32(0.25), "c": torch.tensor(2.0)})  # type: ignore[dict-item]
    again = context(tmp_path)
    assert list(again.loop(1)) == []
    assert again.history == [{"step": 0, "a": 0.5, "b": 0.25, "c": 2.0}]


def test_what_a_part_keeps_on_the_cpu_stays_there(tmp_path: Path) -> None:
    class Notebook:
        kept: Tensor = torch.arange(3)

        def state_dict(self) -> dict[str, Tensor]:
            return {"kept": self.kept}

        def load_state_dict(self, state: dict[str, Tensor]) -> None:
            self.kept = state["kept"]

    list(context(tmp_path).loop(1, notebook=Notebook()))
    restored = Notebook()
    list(context(tmp_path, device="meta").loop(1, notebook=restored))
    assert restored.kept.tolist() == [0, 1, 2]


def test_snapshots_are_kept_for_the_steps_asked_for(tmp_path: Path) -> None:
    images = torch.zeros(2, requires_grad=True)
    ctx = context(tmp_path / "scratch", snapshot_steps=frozenset({0, 2, 9}))
    for step in range(4):
        ctx.snapshot(step, images + step, lr=images[0] + 0.5)
    kept = ctx.snapshots()
    assert {step: learned["images"].tolist() for step, learned in kept.items()} == {0: [0, 0], 2: [2, 2]}
    assert all(float(learned["lr"]) == 0.5 for learned in kept.values())


def test_a_network_is_named_by_its_seed() -> None:
    asked: list[Seeds] = []

    def build(seeds: Seeds) -> torch.nn.Module:
        asked.append(seeds)
        return torch.nn.Identity()

    ctx = context(networks=build)
    ctx.make_network()
    ctx.make_network("expert", 3)
    assert asked == [Seeds(0, ("network",)), Seeds(0, ("network", "expert", 3))]


CARD = Card("dm", 1, {}, "toy", "toy/train", 2, 0, "convnet-3", "none", 0, cost={"seconds": 1.0})


def test_a_distilled_set_knows_its_space_and_its_bytes() -> None:
    images = torch.randn(6, 1, 8, 8, dtype=torch.float64, requires_grad=True)
    made = context(card=CARD).distilled(images, torch.arange(3).repeat(2), toy_images())
    assert made.space == Space.normalised(TOY)
    assert isinstance(made.labels, Hard)
    assert made.images.dtype == torch.float32 and not made.images.requires_grad
    assert made.card == dataclasses.replace(CARD, bytes=6 * 64 * 4 + 6 * 8)


def test_soft_labels_count_in_bytes_and_the_space_may_be_another() -> None:
    labels = Stored("logits", torch.zeros(6, 3))
    made = context(card=CARD).distilled(torch.zeros(6, 1, 8, 8), labels, toy_images(), space=Space("pixels"))
    assert isinstance(made.labels, Stored)
    assert torch.equal(made.labels.values, labels.values)
    assert made.space == Space("pixels")
    assert made.card.bytes == 6 * 64 * 4 + 6 * 3 * 4


def test_laps_are_the_steps_of_this_process_without_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(Scratch, "save_loop", lambda *_: clock.__setitem__(0, clock[0] + 100.0))
    ctx = context(tmp_path)
    for step in ctx.loop(3):
        clock[0] += step + 1.0
        if step == 1:
            continue
        for _ in ctx.loop(2, name="inner"):
            clock[0] += 0.5
    assert ctx.laps == {"steps": [202.0, 2.0, 204.0], "inner": [0.5] * 4}
    with pytest.raises(Killed):
        descend(context(tmp_path / "killed"), kill_in=2)
    resumed = context(tmp_path / "killed")
    _, made = descend(resumed)
    assert len(resumed.laps["steps"]) == len(made)


@pytest.mark.parametrize(("total", "share", "made"), [(1000, 3 / 1000, 3), (30, 2 / 10, 6), (1, 0.01, 1), (0, 0.5, 0)])
def test_a_loop_ends_after_its_share_and_others_do_not(total: int, share: float, made: int) -> None:
    shares: list[float] = []
    ctx = context(loop_shares={"steps": share}, report=shares.append)
    assert list(ctx.loop(total)) == list(range(made))
    assert shares[-1] == 1.0 and list(ctx.loop(4, name="train")) == [0, 1, 2, 3]


def test_a_gpu_is_waited_for_only_where_time_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[str] = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    for timed, expected in ((False, []), (True, ["cuda:1"] * 4)):
        assert list(context(device="cuda:1", timed=timed).loop(2)) == [0, 1]
        assert waited == expected


def test_a_checkpoint_of_a_loop_with_other_parts_starts_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = Context(Seeds(0), scratch=tmp_path, checkpoint_seconds=0.0)
    assert list(first.loop(2, images=torch.zeros(3))) == [0, 1]
    again = Context(Seeds(0), scratch=tmp_path)
    assert list(again.loop(2, images=torch.zeros(3), extra=torch.zeros(1))) == [0, 1]
    assert "of a loop with other parts; starting afresh" in caplog.text
