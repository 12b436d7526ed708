"""Signs that robustness is only apparent: each is one sentence, the verdict first.

Rules: of two attacks on the same images, one is stronger only if a sign test says so (``CHANCE``), which takes at least
seven images; what should never happen may happen to one image, or to one in a hundred (``SPARED``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean, median

from stillproof.attack.masking.measured import BLACK_BOX, RADII, STEPS, UNBOUNDED_STEPS, Measured

CHANCE = 0.01
SPARED = 0.01
VERDICT = "do not trust this number"
AGREE = 0.15  # of the images: by which the curve of the nearest changes may differ from attacks within a ball


def alarms_of(found: Measured) -> list[str]:
    """Return what is suspicious; nothing, if nothing is."""
    if not found.right:
        return [f"nothing can be checked: the model has none of the {found.images} images right before the attack."]
    return [sentence for alarm in ALARMS if (sentence := alarm(found))]


def _no_gradient(found: Measured) -> str:
    """Gradients that vanish lead nowhere."""
    lost, spared = sum(found.no_gradient), _spared(found)
    if lost <= spared:
        return ""
    flat = [margin for margin, gone in zip(found.margins, found.no_gradient, strict=True) if gone]
    if sum(found.saturated) >= lost / 2:
        why = (
            f"because the softmax is saturated (median lead {median(flat):.3g} logits): try an attack on differences "
            "of logits, such as upgd:loss=dlr"
        )
    else:
        why = "although the softmax is not saturated: something before it, such as rounding, has no slope"
    return f"{VERDICT}: the gradient is zero for {lost} of {found.right} images ({spared} tolerated), {why}."


def _more_steps(found: Measured) -> str:
    """Several steps fool whatever one step fools."""
    only_one, only_many = _apart(found.by_one_step, found.by_many_steps)
    chance = sign_test(only_one, only_many)
    if chance >= CHANCE:
        return ""
    return (
        f"{VERDICT}: more steps fool fewer images (1 step {sum(found.by_one_step)}, {STEPS} steps "
        f"{sum(found.by_many_steps)} of {found.right} images; {only_one} by the single step alone, {only_many} by "
        f"several alone; p = {chance:.2g}, below {CHANCE:g})."
    )


def _unbounded(found: Measured) -> str:
    """Where everything is allowed, everything can be fooled."""
    left, spared = found.right - sum(found.by_unbounded), _spared(found)
    if left <= spared:
        return ""
    return (
        f"{VERDICT}: the attack is led astray, since it fails even where an image may become any other "
        f"({left} of {found.right} images withstand {UNBOUNDED_STEPS} steps without a ball; {spared} tolerated)."
    )


def _loss_grows(found: Measured) -> str:
    """The loss grows with the steps that are made up its slope."""
    pairs = list(zip(found.loss_after_one, found.loss_after_many, strict=True))
    grew = sum(after > before for before, after in pairs)
    chance = sign_test(len(pairs) - grew, grew)
    if chance >= CHANCE:
        return ""
    before, after = fmean(found.loss_after_one), fmean(found.loss_after_many)
    return (
        f"{VERDICT}: the loss does not grow with the steps (from 1 to {STEPS} steps it grew on {grew} of {found.right} "
        f"images, on average from {before:.3g} to {after:.3g}; p = {chance:.2g}, below {CHANCE:g})."
    )


def _noise(found: Measured) -> str:
    """Random noise of the same size is harmless."""
    noise, attack, spared = sum(found.by_noise), sum(found.by_many_steps), _spared(found)
    if noise <= spared or 2 * noise <= attack:
        return ""
    return (
        f"{VERDICT}: the attack hardly does better than random noise, so gradients are of little use to it, or eps is "
        f"too large to tell (eps = {found.eps:.3g} in {found.norm}: noise {noise}, attack {attack} of {found.right} "
        f"images; {spared}, or half as many as the attack, tolerated)."
    )


def _at_random(found: Measured) -> str:
    """A model that answers at random has gradients at random."""
    changed, spared = sum(found.at_random), _spared(found)
    if changed <= spared:
        return ""
    return (
        f"{VERDICT}: the model answers at random, so attack the mean of many answers, as autoattack:version=rand does "
        f"(asked again, it gave other logits for {changed} of {found.right} images; {spared} tolerated)."
    )


def _black_box(found: Measured) -> str:
    """Who knows the gradients fools whatever one fools who does not."""
    only_black, only_white = _apart(found.by_black_box, found.by_many_steps)
    chance = sign_test(only_black, only_white)
    if chance >= CHANCE:
        return ""
    return (
        f"{VERDICT}: a black-box attack does better than the gradient ({BLACK_BOX} fools {sum(found.by_black_box)}, "
        f"{STEPS} steps up the gradient {sum(found.by_many_steps)} of {found.right} images; {only_black} by "
        f"{BLACK_BOX} alone, {only_white} by the gradient alone; p = {chance:.2g}, below {CHANCE:g})."
    )


def _nearest_agrees(found: Measured) -> str:
    """The nearest change tells at which radii an attack within a ball succeeds."""
    for place, share in enumerate(RADII):
        near, steps = ([row[place] for row in rows] for rows in (found.by_nearest_at, found.by_steps_at))
        spared = max(_spared(found), math.floor(AGREE * found.right))
        if abs(sum(near) - sum(steps)) > spared:
            return (
                f"{VERDICT}: two attacks disagree, so one of them is led astray (at eps = {share * found.eps:.3g} in "
                f"{found.norm}, the nearest changes that fmn finds fool {sum(near)}, {STEPS} steps {sum(steps)} of "
                f"{found.right} images; a difference of {spared} tolerated)."
            )
    return ""


ALARMS: Sequence[Callable[[Measured], str]] = (
    _no_gradient,
    _more_steps,
    _unbounded,
    _loss_grows,
    _noise,
    _at_random,
    _black_box,
    _nearest_agrees,
)


def sign_test(against: int, expected: int) -> float:
    """Return how likely at least ``against`` of all are against what is expected, if either is as likely."""
    total = against + expected
    return math.fsum(math.comb(total, heads) / 2**total for heads in range(against, total + 1))


def _apart(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int]:
    """Return how many are true of the first alone, and of the second alone."""
    pairs = list(zip(first, second, strict=True))
    return sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)


def _spared(found: Measured) -> int:
    return max(1, math.floor(SPARED * found.right))
