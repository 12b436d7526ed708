"""MAD's score of a defence: how much of what attacks took is there again, and what that cost on clean images.

Accuracies are fractions: ``sa`` on clean images, ``ra`` on attacked ones, each before and after something was done
against the attack. What "before" is, the paper says in two ways: without any defence (equation 2), or with the defence,
before it saw its examples (section 4.1.3). Both can be computed here, and reports name theirs.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stillproof.core.errors import BadInput, Unsupported

Scores: TypeAlias = NDArray[np.float64]
SMALLEST = 1e-9  # of a denominator: accuracies are shares of at most millions of images


def dsr(sa: ArrayLike, ra: ArrayLike, ra_after: ArrayLike) -> Scores:
    """Return the defence success rate: the share of what the attack took that is there again.

    Args:
        sa: Accuracy on clean images, before.
        ra: Accuracy on attacked images, before.
        ra_after: The same, after.

    Raises:
        Unsupported: The attack takes nothing away.
    """
    return edsr(sa, ra, sa, ra_after)


def edsr(sa: ArrayLike, ra: ArrayLike, sa_after: ArrayLike, ra_after: ArrayLike, alpha: float = 1.0) -> Scores:
    """Return the equilibrium defence success rate, (RA* - RA) / (SA - RA + alpha (SA - SA*)).

    It is 1 where attacked images are as often right afterwards as clean ones were before, at no cost on these. It is
    above 1 where they are more often right than that, or where clean images gained by it. Since what is lost on clean
    images stands in the denominator, it weighs less the less the attack had taken.

    Args:
        sa: Accuracy on clean images, before; a number, or an array that broadcasts with the others.
        ra: Accuracy on attacked images, before.
        sa_after: Accuracy on clean images, after.
        ra_after: Accuracy on attacked images, after.
        alpha: Weight of what is lost on clean images.

    Raises:
        Unsupported: The denominator is not above 0: the attack takes no more away than clean images gain.
    """
    if not 0 <= alpha < np.inf:
        raise BadInput(f"alpha = {alpha:g} is not allowed: a weight is 0 or more.")
    named = {"sa": sa, "ra": ra, "sa_after": sa_after, "ra_after": ra_after}
    clean, attacked, clean_after, attacked_after = (_fractions(name, values) for name, values in named.items())
    below = clean - attacked + alpha * (clean - clean_after)
    if (below <= SMALLEST).any():
        raise Unsupported(
            f"the denominator is {float(below.min()):.3g}: the attack takes no more away than clean images gain, so "
            "that the score is not defined."
        )
    return np.asarray((attacked_after - attacked) / below, np.float64)


def _fractions(name: str, values: ArrayLike) -> Scores:
    found = np.asarray(values, np.float64)
    wrong = found[~((found >= 0) & (found <= 1))]  # also what is not a number
    if wrong.size:
        raise BadInput(
            f"{name} = {wrong.flat[0]:g} is not allowed: an accuracy is a fraction between 0 and 1 (divide percent by "
            "100)."
        )
    return found
