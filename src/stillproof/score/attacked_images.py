"""What attacks on single images come to.

Masks and counts have one value per image, in the same order for all attacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stillproof.core.errors import BadInput

SIZES = ("linf", "l2", "l1")  # norms that changes are measured in


def outcome_summary(outcomes: Mapping[str, ArrayLike]) -> dict[str, Any]:
    """Return what the outcomes of an attack come to: fractions of all images, and means over those that were turned.

    Args:
        outcomes: Of each image: ``clean_right`` (right before), ``robust`` (right in spite of the attack), ``success``
            (right before, and then as the attack wanted); where they are known, ``first_success`` (passes up to it) and
            the sizes of the changes. Of a model that answers at random, ``clean_share`` and ``right_share``: in which
            share of its draws the clean and the changed image are right, whose means are then the accuracies.
    """
    turned = np.asarray(outcomes["success"], bool)
    shares = {"clean_accuracy": "clean_right", "robust_accuracy": "robust", "success_rate": "success"}
    n = len(turned)
    found: dict[str, Any] = {name: int(np.asarray(outcomes[key], bool).sum()) / n for name, key in shares.items()}
    if "right_share" in outcomes:
        means = {"clean_accuracy": "clean_share", "robust_accuracy": "right_share"}
        found |= {name: float(np.asarray(outcomes[key], np.float64).mean()) for name, key in means.items()}
    if "first_success" in outcomes:
        passes = np.asarray(outcomes["first_success"], np.float64)[turned]
        found["passes_to_success"] = float(passes.mean()) if len(passes) else None
    for size in (size for size in SIZES if size in outcomes):
        away = np.asarray(outcomes[size])[turned].tolist()
        found[f"median_{size}"] = median(away) if away else None
    return {"n": n} | found


def worst_case(robust: Sequence[ArrayLike]) -> NDArray[np.bool_]:
    """Return which images withstand every one of several attacks, (N,).

    Of a model that answers at random these are the majority's: the least of several shares of draws would be that of
    the unluckiest draws, and lie lower with every attack, even with those that do nothing.
    """
    if not len(robust):
        raise BadInput("the worst case of no attack is not defined: give at least one.")
    masks = [np.asarray(one, bool) for one in robust]
    if any(one.shape != masks[0].shape for one in masks):
        raise BadInput("the worst case is that of attacks on the same images, and these differ in number.")
    if not masks[0].size:
        raise BadInput("the worst case of no image is not defined: give at least one.")
    return np.asarray(np.logical_and.reduce(masks), bool)
