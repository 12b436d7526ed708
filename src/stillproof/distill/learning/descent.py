"""The outer loop of methods that learn images: progress, checkpoints, snapshots, and a way back when it diverges."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.errors import StillproofError

OnDivergence = Literal["fail", "shrink"]

KEEP_EVERY = 50  # steps between the states to go back to; counted, not timed, so that a seed decides the result
SHRINK = 0.5  # of every learning rate, on going back
MOST_SHRINKS = 8


def descend(
    ctx: Context,
    steps: int,
    optimiser: torch.optim.Optimizer,
    update: Callable[[int], dict[str, float]],
    *,
    on_divergence: OnDivergence = "fail",
    turns: int = 1,
    wrong: Callable[[], str] = str,
    also: Mapping[str, Tensor] | None = None,
    **parts: Any,
) -> None:
    """Run ``update`` for everything that is left.

    Args:
        ctx: The cell's context.
        steps: Number of steps.
        optimiser: Holds what is learned; its first parameter is the images.
        update: Takes the number of the update, changes the images in place and returns what to log, ``loss`` among it.
        on_divergence: What to do when a loss or a learned value is no longer finite, or ``wrong`` says something:
            ``fail`` with a sentence, or ``shrink``: go back to the last kept state, with half the step sizes.
        turns: Updates per step, for methods whose steps are long; a step is logged and kept after its last update.
        wrong: Says after an update what is wrong with the learned values; nothing, if all is well.
        also: What a snapshot keeps besides the images: learned ``labels``, or the learned ``lr`` of training.
        parts: What else the next step depends on, as ``Context.loop`` takes it.
    """
    learned = [value for group in optimiser.param_groups for value in group["params"]]
    retreat = _Retreat(learned, optimiser)
    named = {f"learned_{number}": value for number, value in enumerate(learned)}
    ctx.snapshot(0, learned[0], **also or {})
    for count in ctx.loop(steps * turns, optimiser=optimiser, retreat=retreat, **named, **parts):
        if count < retreat.wait_for:
            continue
        step, turn = divmod(count, turns)
        values = update(count)
        problem = _problem(values["loss"], learned) or wrong()
        if problem:
            if on_divergence == "fail" or len(retreat.reasons) == MOST_SHRINKS:
                raise StillproofError(_sentence(problem, step, steps, on_divergence))
            retreat.go_back(step, problem)
            retreat.wait_for = (step + 1) * turns  # whatever else the step uses may be spoilt too
        elif turn + 1 == turns:
            ctx.log(step, values)
            if (step + 1) % KEEP_EVERY == 0:
                retreat.keep()
        if problem or turn + 1 == turns:
            ctx.snapshot(step + 1, learned[0], **also or {})
    if retreat.reasons:
        ctx.notes["retreats"] = retreat.reasons


def _sentence(problem: str, step: int, steps: int, on_divergence: OnDivergence) -> str:
    remedy = "try a smaller lr, or on_divergence=shrink" if on_divergence == "fail" else "try a smaller lr"
    tried = "" if on_divergence == "fail" else f" after {MOST_SHRINKS} retreats"
    return f"distillation diverged: {problem} in step {step + 1} of {steps}{tried}; {remedy}."


def _problem(loss: float, learned: list[Tensor]) -> str:
    if not math.isfinite(loss):
        return f"the loss is {loss}"
    return "" if all(bool(torch.isfinite(value).all()) for value in learned) else "a learned value is not finite"


class _Retreat:
    """The last state that was known to be good; part of a checkpoint, so that a resumed run goes back as far."""

    def __init__(self, learned: list[Tensor], optimiser: torch.optim.Optimizer) -> None:
        self.learned, self.optimiser = learned, optimiser
        self.reasons: list[dict[str, Any]] = []
        self.wait_for = 0  # the update to go on with
        self.keep()

    def keep(self) -> None:
        self.kept = [value.detach().clone() for value in self.learned]
        self.kept_optimiser = copy.deepcopy(self.optimiser.state_dict())

    def go_back(self, step: int, problem: str) -> None:
        with torch.no_grad():
            for value, kept in zip(self.learned, self.kept, strict=True):
                value.copy_(kept)
        self.optimiser.load_state_dict(copy.deepcopy(self.kept_optimiser))
        for group in self.optimiser.param_groups:
            group["lr"] *= SHRINK
        self.reasons.append({"step": step, "problem": problem})
        self.keep()

    def state_dict(self) -> dict[str, Any]:
        kept = {"kept": self.kept, "optimiser": self.kept_optimiser}
        return kept | {"reasons": self.reasons, "wait_for": self.wait_for}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.kept = [saved.to(value.device) for saved, value in zip(state["kept"], self.learned, strict=True)]
        self.kept_optimiser = state["optimiser"]
        self.reasons, self.wait_for = state["reasons"], state["wait_for"]
