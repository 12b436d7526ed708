"""How an attack is run, whatever it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stillproof.attack.base import losses
from stillproof.attack.base.limits import ClampedLimits, Limits
from stillproof.attack.base.losses import Loss


@dataclass(frozen=True)
class Rules:
    """Early exit, limits, and what is kept.

    Args:
        early_exit: Whether images that are fooled leave the batch, where the attack allows it. It changes what an
            attack costs, and not what comes of it.
        answer: Which changed image counts: the first that fools the model, or the last, whatever it does. An attack
            that looks for the nearest change always gives that.
        limits: What keeps images within ball and range.
        checked: Whether images outside [0, 1] are refused.
        cross_entropy: The usual loss, in a form that keeps the gradients of confident models, or with the rounding
            that everybody has.
        keep_images: Whether the outcome has the changed images.
        draws: How often a model that answers at random is asked what it says of an image; it is then attacked without
            early exit, and the first image that fools it is the one of the best mean loss. With 0, one answer proves
            that it is fooled, and nobody looks whether another would be the same.
    """

    early_exit: bool = True
    answer: Literal["first", "last"] = "first"
    limits: type[Limits] = Limits
    checked: bool = True
    cross_entropy: Loss = losses.cross_entropy
    keep_images: bool = False
    draws: int = 20


# What libraries usually do to whatever they are given, pixels or not, to reproduce what was found with them.
AS_LIBRARIES_DO = Rules(
    early_exit=False,
    answer="last",
    limits=ClampedLimits,
    checked=False,
    cross_entropy=losses.usual_cross_entropy,
    draws=0,
)
