"""Attacks images, batch by batch, and says what came of each."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.failures import refuse_failures
from stillproof.attack.base.ledger import Answer, Ledger
from stillproof.attack.base.norms import sizes
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.pixels import check_labels, check_pixels, read_pixels
from stillproof.attack.base.random_ledger import RandomLedger
from stillproof.attack.base.random_models import FreshDraws, answers_at_random
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.streams import Streams
from stillproof.attack.base.suspicions import note_flat, note_probabilities
from stillproof.attack.base.targets import Policy, targets_for
from stillproof.attack.base.victim import Model, Victim, under_attack
from stillproof.core.context import Context
from stillproof.core.errors import BadInput

BATCH = 512  # images that are attacked at once; survivors of early exit are asked of in chunks that fit the cache
LEAST = 32  # of an attack of many passes, so that there is something to show and to keep every few minutes
PASSES = 300_000  # of all images of a batch together
ALONE = 20_000  # of those that are attacked one after the other


def batch_of(attack: Attack) -> int:
    """Return how many images are attacked at once. It changes how often progress is shown, and not what comes of it."""
    if attack.one_by_one:
        return max(1, min(LEAST, int(ALONE / attack.passes)))
    return max(LEAST, min(BATCH, int(PASSES / attack.passes)))


def run_attack(
    attack: Attack,
    model: Model,
    images: Tensor,
    labels: Tensor,
    *,
    ctx: Context,
    target: Policy | Tensor | None = None,
    rules: Rules | None = None,
    batch: int | None = None,
    seen: Callable[[Outcome], None] | None = None,
) -> Outcome:
    """Attack images.

    Args:
        attack: The attack.
        model: Takes pixels in [0, 1] to logits.
        images: Pixels, (N, C, H, W): floats in [0, 1], or uint8 from 0 to 255.
        labels: Their classes, (N,).
        ctx: Gives device and random streams, and takes the share that is done.
        target: Makes it a targeted attack: a policy, or a class for each image.
        rules: How it is run; the usual way unless told.
        batch: Images that are attacked at once; fewer of them, the more passes the attack takes, unless told.
        seen: Told the outcome of each batch.
    """
    if not len(images):
        raise BadInput("there are no images to attack.")
    passes, batch = attack.passes * len(images), batch or batch_of(attack)
    parts = []
    with under_attack(model, passes=passes, notes=ctx.notes) as victim:
        for start in range(0, len(images), batch):
            part = slice(start, start + batch)
            aimed = target[part] if isinstance(target, Tensor) else target
            indices = torch.arange(len(images))[part]
            parts.append(
                attack_batch(
                    attack, victim, images[part], labels[part], ctx=ctx, target=aimed, indices=indices, rules=rules
                )
            )
            if seen is not None:
                seen(parts[-1])
            ctx.report(min(1.0, (start + batch) / len(images)))
    whole = Outcome.joined(parts)
    note_flat(ctx.notes, whole)
    refuse_failures(ctx.notes)
    return whole


def attack_batch(
    attack: Attack,
    victim: Victim,
    images: Tensor,
    labels: Tensor,
    *,
    ctx: Context,
    target: Policy | Tensor | None = None,
    indices: Tensor | None = None,
    rules: Rules | None = None,
) -> Outcome:
    """Attack one batch; ``indices`` say where in the data set its images are, which their random draws belong to."""
    rules = rules or Rules()
    pixels, labels = read_pixels(images, ctx.device), labels.to(ctx.device)
    indices = torch.arange(len(pixels)) if indices is None else indices.cpu()
    check_pixels(pixels, labels, indices, in_range=rules.checked)
    labels = labels.long()
    attack.check(pixels, targeted=target is not None)
    answer: Answer = "nearest" if attack.nearest else rules.answer
    ledger = Ledger(pixels, labels, answer, attack.measured_in)
    streams = Streams(ctx.seeds, indices, pixels.device)
    rows = torch.arange(len(pixels), device=pixels.device)
    limits = rules.limits(attack.measured_in, attack.radius)
    leaves = attack.leaves and rules.early_exit
    crafting = Crafting(
        victim, ledger, limits, streams, pixels, labels, None, rows, leaves=leaves, cross_entropy=rules.cross_entropy
    )
    with ctx.seeds.child("model", int(indices[0])).lent_to_torch(str(pixels.device)):
        began = _now(pixels)
        crafting = crafting.looked()
        clean_seconds = _now(pixels) - began
        logits = crafting.clean_logits
        assert logits is not None
        check_labels(labels, logits.shape[1], indices)
        note_probabilities(victim.notes, logits)
        if rules.draws and answers_at_random(victim, pixels):
            fresh = FreshDraws(victim, ctx.seeds.child("fresh", int(indices[0])), rules.draws)
            ledger = RandomLedger(ledger, fresh)
        began = _now(pixels) - ledger.own_seconds
        if target is not None:
            ledger.targets = targets_for(target, labels, logits, streams)
        ledger.begin(logits)
        _craft(attack, dataclasses.replace(crafting, ledger=ledger, targets=ledger.targets))
        seconds = _now(pixels) - began - ledger.own_seconds
    return _outcome(ledger, seconds, clean_seconds, keep_images=rules.keep_images)


def _craft(attack: Attack, crafting: Crafting) -> None:
    """Attack, and attack those that are not fooled again, as often as the attack wants."""
    crafting = crafting.only(crafting.staying())
    for number in range(attack.tries):
        if number:
            crafting = crafting.only(crafting.unfooled())
        if len(crafting):
            attack.craft(crafting.drawing("try", number))


def _outcome(ledger: Ledger, seconds: float, clean_seconds: float, *, keep_images: bool) -> Outcome:
    shares = ledger.close()
    changes = ledger.images - ledger.clean
    return Outcome(
        labels=ledger.labels.cpu(),
        targets=None if ledger.targets is None else ledger.targets.cpu(),
        clean_predictions=ledger.clean_predictions.cpu(),
        predictions=ledger.predictions.cpu(),
        fooled=ledger.fooled.cpu(),
        forwards=ledger.forwards.cpu(),
        backwards=ledger.backwards.cpu(),
        first_success=ledger.first_success.cpu(),
        linf=sizes(changes, "Linf").cpu(),
        l2=sizes(changes, "L2").cpu(),
        l1=sizes(changes, "L1").cpu(),
        no_gradient=ledger.no_gradient.cpu(),
        seconds=seconds,
        clean_seconds=clean_seconds,
        images=ledger.images.cpu() if keep_images else None,
        **{name: values.cpu() for name, values in shares.items()},
    )


def _now(like: Tensor) -> float:
    """Return the time in seconds, once the device has done its work."""
    if like.device.type == "cuda":
        torch.cuda.synchronize(like.device)
    return time.perf_counter()
