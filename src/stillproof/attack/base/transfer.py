"""Attacks that are crafted on one model, and judged on others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.pixels import check_labels, read_pixels
from stillproof.attack.base.random_models import FreshDraws, answers_at_random, majority, right_share
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import BATCH, run_attack
from stillproof.attack.base.targets import Policy
from stillproof.attack.base.victim import Model, under_attack
from stillproof.core.context import Context

# Going on after the model is fooled takes images further, and more of them to other models.
TO_THE_END = Rules(early_exit=False, answer="last", keep_images=True, draws=0)


@dataclass(frozen=True)
class Transferred:
    """What another model says of images that were not made for it, (N,) each, on the CPU.

    Of a model that answers at random, predictions are those of the majority, and there are the shares of its draws in
    which the clean and the changed image are right.
    """

    labels: Tensor
    clean_predictions: Tensor
    predictions: Tensor
    clean_share: Tensor | None = None
    right_share: Tensor | None = None

    @property
    def clean_accuracy(self) -> float:
        """Return the share of images that the model has right before the attack."""
        right = self.clean_predictions == self.labels if self.clean_share is None else self.clean_share
        return right.float().mean().item()

    @property
    def robust_accuracy(self) -> float:
        """Return the share of all images that it has right before and after; at random, of all draws after."""
        right = (self.clean_predictions == self.labels) & (self.predictions == self.labels)
        return (right if self.right_share is None else self.right_share).float().mean().item()


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
    judged = {}
    for name, model in others.items():
        (clean, before), (after, share) = (
            judge(model, shown, made.labels, ctx, draws=Rules.draws) for shown in (images, made.images)
        )
        judged[name] = Transferred(made.labels, clean, after, before, share)
    return made, judged


def judge(model: Model, images: Tensor, labels: Tensor, ctx: Context, *, draws: int) -> tuple[Tensor, Tensor | None]:
    """Return the classes that a model takes images for, and the share of draws in which each is right, (N,) on the CPU.

    Args:
        model: The model.
        images: What it is asked of.
        labels: Their classes.
        ctx: Gives device and random streams.
        draws: How often it is asked if it answers at random: it then takes an image for what most draws say. There are
            no shares of a model that always answers alike, nor with 0 draws: one answer counts.
    """
    seeds, labels = ctx.seeds.child("judge"), labels.cpu()
    batches = torch.split(images, BATCH)
    with under_attack(model, passes=len(images)) as victim, seeds.lent_to_torch(ctx.device):
        first = read_pixels(batches[0], ctx.device)
        at_random = draws > 0 and answers_at_random(victim, first)
        ask = FreshDraws(victim, seeds, draws).votes if at_random else victim.logits
        said = torch.cat([ask(read_pixels(batch, ctx.device)).cpu() for batch in batches])
    check_labels(labels, said.shape[1], torch.arange(len(labels)))
    return (majority(said, labels), right_share(said, labels)) if at_random else (said.argmax(1), None)
