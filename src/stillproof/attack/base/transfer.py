"""Attacks that are crafted on one model, and judged on others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.pixels import read_pixels
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import BATCH, run_attack
from stillproof.attack.base.targets import Policy
from stillproof.attack.base.victim import Model, under_attack
from stillproof.core.context import Context

# Going on after the model is fooled takes images further, and more of them to other models.
TO_THE_END = Rules(early_exit=False, answer="last", keep_images=True, draws=0)


@dataclass(frozen=True)
class Transferred:
    """What another model says of images that were not made for it, (N,) each, on the CPU."""

    labels: Tensor
    clean_predictions: Tensor
    predictions: Tensor

    @property
    def clean_accuracy(self) -> float:
        """Return the share of images that the model has right before the attack."""
        return (self.clean_predictions == self.labels).float().mean().item()

    @property
    def robust_accuracy(self) -> float:
        """Return the share of all images that it has right before and after."""
        right = (self.clean_predictions == self.labels) & (self.predictions == self.labels)
        return right.float().mean().item()


def transfer_attack(
    attack: Attack,
    source: Model,
    others: Mapping[str, Model],
    images: Tensor,
    labels: Tensor,
    *,
    ctx: Context,
    target: Policy | Tensor | None = None,
) -> tuple[Outcome, dict[str, Transferred]]:
    """Attack images on ``source``, to the last step, and show what came of them to other models.

    Args:
        attack: The attack.
        source: The model that it is crafted on.
        others: The models that it is judged on, by name.
        images: Pixels, as ``run_attack`` takes them.
        labels: Their classes.
        ctx: Gives device and random streams.
        target: Makes it a targeted attack.
    """
    made = run_attack(attack, source, images, labels, ctx=ctx, target=target, rules=TO_THE_END)
    assert made.images is not None
    judged = {
        name: Transferred(made.labels, predict(model, images, ctx), predict(model, made.images, ctx))
        for name, model in others.items()
    }
    return made, judged


def predict(model: Model, images: Tensor, ctx: Context) -> Tensor:
    """Return the classes that a model takes images for, (N,) on the CPU."""
    with under_attack(model, passes=len(images)) as victim, ctx.seeds.child("judge").lent_to_torch(ctx.device):
        batches = torch.split(images, BATCH)
        return torch.cat([victim.logits(read_pixels(batch, ctx.device)).argmax(1).cpu() for batch in batches])
