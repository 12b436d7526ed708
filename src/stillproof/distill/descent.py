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
    on_divergence: OnDivergence,
    wrong: Callable[[], str] = str,
    also: Mapping[str, Tensor] | None = None,
    **parts: Any,
) -> None:
    """Run ``update`` for every step that is left.

    Args:
        ctx: The cell's context.
        steps: Number of updates.
        optimiser: Holds what is learned; its first parameter are the images.
        update: Takes the step, changes the images in place and returns what to log, ``loss`` among it.
        on_divergence: What to do when a loss or a learned value is no longer finite, or ``wrong`` says something:
            ``fail`` with a sentence, or ``shrink``: go back to the last kept state and on with half the step sizes.
        wrong: Says after an update what is wrong with the learned values; nothing, if all is well.
        also: What a snapshot keeps besides the images: learned ``labels``, or the learned ``lr`` of training.
        parts: What else the next step depends on, as ``Context.loop`` takes it.
    """
    learned = [value for group in optimiser.param_groups for value in group["params"]]
    retreat = _Retreat(learned, optimiser)
    named = {f"learned_{number}": value for number, value in enumerate(learned)}
    ctx.snapshot(0, learned[0], **also or {})
    for step in ctx.loop(steps, optimiser=optimiser, retreat=retreat, **named, **parts):
        values = update(step)
        problem = _problem(values["loss"], learned) or wrong()
        if not problem:
            ctx.log(step, values)
            if (step + 1) % KEEP_EVERY == 0:
                retreat.keep()
        elif on_divergence == "fail" or retreat.shrinks == MOST_SHRINKS:
            raise StillproofError(
                f"distillation diverged: {problem} in step {step + 1} of {steps} ({retreat.shrinks} retreats before); "
                f"try a smaller lr, or on_divergence=shrink."
            )
        else:
            retreat.go_back()
            ctx.notes.setdefault("retreats", []).append({"step": step, "problem": problem})
        ctx.snapshot(step + 1, learned[0], **also or {})


def _problem(loss: float, learned: list[Tensor]) -> str:
    if not math.isfinite(loss):
        return f"the loss is {loss}"
    return "" if all(bool(torch.isfinite(value).all()) for value in learned) else "a learned value is not finite"


class _Retreat:
    """The last state that was known to be good; part of a checkpoint, so that a resumed run goes back as far."""

    def __init__(self, learned: list[Tensor], optimiser: torch.optim.Optimizer) -> None:
        self.learned, self.optimiser = learned, optimiser
        self.shrinks = 0
        self.keep()

    def keep(self) -> None:
        self.kept = [value.detach().clone() for value in self.learned]
        self.kept_optimiser = copy.deepcopy(self.optimiser.state_dict())

    def go_back(self) -> None:
        with torch.no_grad():
            for value, kept in zip(self.learned, self.kept, strict=True):
                value.copy_(kept)
        self.optimiser.load_state_dict(copy.deepcopy(self.kept_optimiser))
        for group in self.optimiser.param_groups:
            group["lr"] *= SHRINK
        self.shrinks += 1
        self.keep()

    def state_dict(self) -> dict[str, Any]:
        return {"kept": self.kept, "optimiser": self.kept_optimiser, "shrinks": self.shrinks}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.kept = [saved.to(value.device) for saved, value in zip(state["kept"], self.learned, strict=True)]
        self.kept_optimiser, self.shrinks = state["optimiser"], state["shrinks"]
