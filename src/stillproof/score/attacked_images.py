"""Scores of attacks on single images: the equations of BEARD's paper, and what they leave open.

Masks and times have one value per image, in the same order for all attacks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stillproof.core.errors import BadInput, Unsupported
from stillproof.score.robustness import attack_efficiency

CLEAN_PASS = 1.0  # the forward pass that a clean prediction takes


def success_rate(right_before: ArrayLike, right_after: ArrayLike) -> float:
    """Return the share of all images that were right before the attack and are wrong after it."""
    before, after = _masks(right_before, right_after)
    return float((before & ~after).mean())


def success_rate_among_right(right_before: ArrayLike, right_after: ArrayLike) -> float:
    """Return the share of the images that were right before which are wrong after: an inaccurate model gains nothing.

    Raises:
        Unsupported: No image was right before.
    """
    before, after = _masks(right_before, right_after)
    if not before.any():
        raise Unsupported("no image was right before the attack, so that none could be turned.")
    return float((before & ~after).sum() / before.sum())


def success_mean(values: ArrayLike, success: ArrayLike) -> float:
    """Return the mean over images that were turned: of seconds, or of passes to the first success.

    Raises:
        Unsupported: No image was turned.
    """
    spent, turned = np.asarray(values, np.float64), np.asarray(success, bool)
    if spent.shape != turned.shape or spent.ndim != 1:
        raise BadInput(f"{spent.shape} values and {turned.shape} successes do not fit: one of each per image.")
    if not turned.any():
        raise Unsupported("no image was turned, so that there is no time of success.")
    return float(spent[turned].mean())


def robustness_ratio_of_rates(rates: Sequence[float]) -> float:
    """Return 1 - mean / largest of attacks' success rates, as the paper's equation has it; all models in one list.

    Raises:
        Unsupported: No attack has a success, or there is only one attack.
    """
    found = _several(rates)
    if found.max() <= 0:
        raise Unsupported("no attack has a success, so that the ratio is not defined.")
    return float(1 - found.mean() / found.max())


def efficiency_of_success(means: Sequence[float]) -> float:
    """Return mean / largest of attacks' mean times of success: attack efficiency where no clean time is taken off.

    Raises:
        Unsupported: All are 0, or there is only one attack.
    """
    found = _several(means)
    if found.max() <= 0:
        raise Unsupported("no attack takes any time, so that the ratio is not defined.")
    return float(found.mean() / found.max())


def efficiency_in_passes(passes_to_success: Sequence[float]) -> float:
    """Return the attack efficiency on passes to the first success instead of seconds; equal on every machine.

    Args:
        passes_to_success: For each attack the mean over images that it turned, the clean pass among them.
    """
    return attack_efficiency(CLEAN_PASS, passes_to_success)


def worst_case(robust: Sequence[ArrayLike]) -> NDArray[np.bool_]:
    """Return which images withstand every one of several attacks, (N,)."""
    if not len(robust):
        raise BadInput("the worst case of no attack is not defined: give at least one.")
    masks = [np.asarray(one, bool) for one in robust]
    if any(one.shape != masks[0].shape for one in masks):
        raise BadInput("the worst case is that of attacks on the same images, and these differ in number.")
    if not masks[0].size:
        raise BadInput("the worst case of no image is not defined: give at least one.")
    return np.asarray(np.logical_and.reduce(masks), bool)


def worst_case_accuracy(robust: Sequence[ArrayLike]) -> float:
    """Return the share of images that withstand every one of several attacks."""
    return float(worst_case(robust).mean())


def _masks(before: ArrayLike, after: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    first, second = np.asarray(before, bool), np.asarray(after, bool)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise BadInput(f"masks of {first.shape} and {second.shape} do not fit: both have one value per image.")
    return first, second


def _several(values: Sequence[float]) -> NDArray[np.float64]:
    found = np.asarray(values, np.float64)
    if len(found) < 2:
        raise Unsupported("one attack alone is its own worst, so that the ratio says nothing: give several.")
    if not (np.isfinite(found) & (found >= 0)).all():
        raise BadInput(f"{found.tolist()} is not allowed: rates and times are numbers of 0 or more.")
    return found
