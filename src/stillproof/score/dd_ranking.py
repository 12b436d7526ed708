"""DD-Ranking's scores: how much of an accuracy is the data's own merit, without labels and augmentation.

All accuracies are fractions. Every function takes numbers, or arrays over seeds and weights that broadcast, and
returns the like. The original's code computes with percentages where its paper has fractions; the paper's form is here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput

Values: TypeAlias = float | Sequence[float] | NDArray[np.float64]
Scores: TypeAlias = NDArray[np.float64]


def hard_label_recovery(real_hard: Values, syn_hard: Values) -> Scores:
    """Return what is lost with hard labels: accuracy of real data minus that of the distilled set; lower is better."""
    return _fractions("real_hard", real_hard) - _fractions("syn_hard", syn_hard)


def improvement_over_random(syn: Values, random: Values) -> Scores:
    """Return what is gained over random real images of the same number, trained in the same way."""
    return _fractions("syn", syn) - _fractions("random", random)


def label_robust_score(hlr: Values, ior: Values, weight: Values = 0.5) -> Scores:
    """Return LRS in [0, 1]: of weight * IOR - (1 - weight) * HLR."""
    w = _weights(weight)
    return _normalised(w * _differences("ior", ior) - (1 - w) * _differences("hlr", hlr))


def augmentation_robust_score(ior_aug: Values, ior_no_aug: Values, weight: Values = 0.5) -> Scores:
    """Return ARS in [0, 1]: of weight * IOR with augmentation + (1 - weight) * IOR without; 0.269 for no gain."""
    w = _weights(weight)
    return _normalised(w * _differences("ior_aug", ior_aug) + (1 - w) * _differences("ior_no_aug", ior_no_aug))


def _normalised(exponent: Scores) -> Scores:
    """Take [-1, 1] to [0, 1], convexly: (e^x - e^-1) / (e - e^-1)."""
    lowest = math.exp(-1)
    return np.asarray((np.exp(exponent) - lowest) / (math.e - lowest), np.float64)


def _fractions(name: str, values: Values) -> Scores:
    return _within(name, values, 0.0, "an accuracy is a fraction between 0 and 1 (divide percent by 100)")


def _differences(name: str, values: Values) -> Scores:
    return _within(name, values, -1.0, "a difference of accuracies lies between -1 and 1 (divide percent by 100)")


def _weights(values: Values) -> Scores:
    return _within("weight", values, 0.0, "a weight lies between 0 and 1")


def _within(name: str, values: Values, low: float, rule: str) -> Scores:
    found = np.asarray(values, np.float64)
    wrong = found[~((found >= low) & (found <= 1))]  # also what is not a number
    if wrong.size:
        raise BadInput(f"{name} = {wrong.flat[0]:g} is not allowed: {rule}.")
    return found
