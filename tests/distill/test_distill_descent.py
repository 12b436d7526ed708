from __future__ import annotations

from pathlib import Path

import pytest
import torch

from stillproof.core.context import Context
from stillproof.core.errors import StillproofError
from stillproof.core.seeds import Seeds
from stillproof.distill.learning.descent import KEEP_EVERY, MOST_SHRINKS, OnDivergence, descend


class Stopped(Exception):
    pass


def run(
    losses: dict[int, float],
    *,
    steps: int = 4,
    turns: int = 1,
    on_divergence: OnDivergence = "shrink",
    scratch: Path | None = None,
    stop_at: int | None = None,
) -> tuple[Context, torch.Tensor, list[int]]:
    """Descend along a constant slope of 1, with the given losses at some updates."""
    images = torch.zeros(2)
    optimiser = torch.optim.SGD([images], lr=1.0)
    ctx = Context(Seeds(0), scratch=scratch, checkpoint_seconds=0.0, snapshot_steps=frozenset(range(steps + 1)))
    seen: list[int] = []

    def update(count: int) -> dict[str, float]:
        if count == stop_at:
            raise Stopped
        seen.append(count)
        images.grad = torch.ones(2)
        optimiser.step()
        return {"loss": losses.get(count, 0.5)}

    descend(ctx, steps, optimiser, update, on_divergence=on_divergence, turns=turns)
    return ctx, images, seen


def test_a_step_that_is_not_finite_fails_with_a_sentence() -> None:
    with pytest.raises(StillproofError, match=r"the loss is nan in step 3 of 4; try a smaller lr, or on_divergence=sh"):
        run({2: float("nan")}, on_divergence="fail")


def test_a_retreat_takes_the_last_kept_state_and_half_the_step() -> None:
    ctx, images, seen = run({2: float("inf")})
    assert images.tolist() == [-0.5, -0.5]  # back to the start, then one step of half the size
    assert seen == [0, 1, 2, 3]
    assert ctx.notes["retreats"] == [{"step": 2, "problem": "the loss is inf"}]
    assert [entry["step"] for entry in ctx.history] == [0, 1, 3]


def test_states_are_kept_at_counted_steps() -> None:
    _, images, _ = run({KEEP_EVERY + 3: float("nan")}, steps=KEEP_EVERY + 6)
    assert images[0] == -KEEP_EVERY - 0.5 * 2


def test_too_many_retreats_fail() -> None:
    with pytest.raises(StillproofError, match=rf"after {MOST_SHRINKS} retreats; try a smaller lr\.$"):
        run(dict.fromkeys(range(20), float("nan")), steps=20)


def test_steps_of_several_turns_are_logged_once_and_left_after_a_divergence() -> None:
    ctx, _, seen = run({}, turns=3)
    assert seen == list(range(12)) and [entry["step"] for entry in ctx.history] == [0, 1, 2, 3]
    ctx, _, seen = run({4: float("nan")}, turns=3)
    assert seen == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]  # the rest of step 1 is not tried
    assert [entry["step"] for entry in ctx.history] == [0, 2, 3]


def test_snapshots_count_steps(tmp_path: Path) -> None:
    ctx, _, _ = run({}, turns=3, scratch=tmp_path)
    assert {step: float(kept["images"][0]) for step, kept in ctx.snapshots().items()} == {
        0: 0, 1: -3, 2: -6, 3: -9, 4: -12,
    }  # fmt: skip


@pytest.mark.parametrize("stop_at", [1, 4, 6, 10])
def test_a_stopped_run_goes_on_as_if_it_had_not_been(tmp_path: Path, stop_at: int) -> None:
    losses = {4: float("nan")}
    whole, images, _ = run(losses, turns=3)
    with pytest.raises(Stopped):
        run(losses, turns=3, scratch=tmp_path, stop_at=stop_at)
    resumed, again, _ = run(losses, turns=3, scratch=tmp_path)
    assert torch.equal(images, again)
    assert resumed.notes["retreats"] == whole.notes["retreats"] and resumed.history == whole.history
