"""Runs one attack on images, within a number of passes, and says how near it came to each."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from stillproof.attack.base.losses import cross_entropy
from stillproof.attack.base.norms import Norm
from stillproof.attack.base.random_models import FreshDraws, answers_at_random
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.suspicions import note_probabilities, note_zero_gradients, zero_gradients
from stillproof.attack.base.victim import Victim, frozen
from stillproof.attack.bench.contestant import Contestant
from stillproof.attack.bench.libraries.all import theirs
from stillproof.attack.bench.metered import Metered
from stillproof.attack.bench.ours import ABSENT, ours
from stillproof.core.components import attacks
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, UnknownName, Unsupported
from stillproof.core.seeds import Seeds

BATCH = 128  # images that are attacked at once


@dataclass(frozen=True)
class Nearness:
    """What came of one attack, one value per image, all on the CPU.

    Args:
        distances: Size of the nearest change that fooled the model; 0 if it errs without, infinite if none was found.
        clean_right: Whether the model has the clean image right.
        forwards: Forward passes that the attack took.
        backwards: Backward passes.
        seconds: Time of all images together, without that of counting.
        draws: How often a model that answers at random is asked whether a change fools it, which then goes by the
            majority; 0 for any other model.
    """

    distances: Tensor
    clean_right: Tensor
    forwards: Tensor
    backwards: Tensor
    seconds: float
    draws: int


def contestants(norm: Norm, ctx: Context) -> dict[str, Contestant]:
    """Return all attacks of a norm, ours and those of installed libraries, by reference."""
    return {one.reference: one for one in (*ours(norm, ctx), *theirs(norm))}


def contestant(reference: str, norm: Norm, ctx: Context) -> Contestant:
    """Return one of them; a short name stands for its family where it says no more than the norm does.

    Raises:
        BadInput: It is an attack that does not take part, or not in this norm.
        UnknownName: There is no such attack.
    """
    known, entry = contestants(norm, ctx), attacks.entries().get(reference)
    if reference in known:
        return known[reference]
    if entry is None:
        raise UnknownName("attack", reference, known)
    if reference in ABSENT:
        raise BadInput(f"{reference} does not take part in the comparison: {ABSENT[reference]}.")
    if entry.family not in known or entry.fixed.get("norm", norm) != norm:
        raise BadInput(f"attack {reference!r} has no form in {norm}: leave it out, or choose another norm.")
    return known[entry.family]


def nearness(
    reference: str, model: nn.Module, images: Tensor, labels: Tensor, *, norm: Norm, budget: int, ctx: Context
) -> Nearness:
    """Run an attack.

    Args:
        reference: The attack, ``fmn`` or ``adv-lib/fmn``.
        model: Takes pixels in [0, 1] to logits.
        images: Pixels, (N, C, H, W), on the model's device.
        labels: Their classes.
        norm: The norm.
        budget: The most passes, forward and backward together, of each image.
        ctx: Gives random streams, and takes the share that is done.
    """
    parts, stuck, seconds = [], [], 0.0
    for start in range(0, len(images), BATCH):
        part = slice(start, start + BATCH)
        with frozen(model, mode=False), _seeded(ctx, start):
            draws = _draws(model, images[part], ctx.seeds.child("fresh", start))
            metered = Metered(model, images[part], labels[part], norm, budget, draws)
            one = contestant(reference, norm, Context(ctx.seeds.child("batch", start), ctx.device))
            began = time.perf_counter()
            _run(one, metered)
            seconds += time.perf_counter() - began - metered.own_seconds
            gradients, _ = Victim(model).gradient(images[part], partial(_own_loss, labels[part]))
        note_probabilities(ctx.notes, metered.clean_logits)
        stuck.append(zero_gradients(gradients) & metered.clean_right & metered.nearest.isinf())
        parts.append(metered)
        ctx.report(min(1.0, (start + BATCH) / len(images)))

    right = sum(int(part.clean_right.sum()) for part in parts)
    note_zero_gradients(ctx.notes, int(torch.cat(stuck).sum()), right)

    def joined(name: str) -> Tensor:
        return torch.cat([getattr(part, name)[part.first] for part in parts]).cpu()

    draws_made = max((part.draws.count for part in parts if part.draws is not None), default=0)
    return Nearness(
        joined("nearest"), joined("clean_right"), joined("forwards"), joined("backwards"), seconds, draws_made
    )


def _draws(model: nn.Module, images: Tensor, seeds: Seeds) -> FreshDraws | None:
    """Return where fresh draws of a model come from; None if it always answers alike."""
    victim = Victim(model)
    return FreshDraws(victim, seeds, Rules().draws) if answers_at_random(victim, images) else None


def _own_loss(labels: Tensor, logits: Tensor, part: slice) -> Tensor:
    return cross_entropy(logits, labels[part], None)


def _run(one: Contestant, model: Metered) -> None:
    if one.source == "stillproof":
        one.run(model)
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one.run(model)
    except Exception as error:  # somebody else's code, which may raise anything
        raise Unsupported(f"{one.reference} failed by itself: {type(error).__name__}: {error}") from error


@contextmanager
def _seeded(ctx: Context, start: int) -> Iterator[None]:
    """Lend a seed to the global generators that libraries draw from, and put these back."""
    seeds, before = ctx.seeds.child("libraries", start), np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(seeds.child("numpy").integer() % 2**32)  # noqa: NPY002
        with seeds.lent_to_torch(ctx.device):
            yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
