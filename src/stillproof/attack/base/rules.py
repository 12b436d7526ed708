"""How an attack is run, whatever it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stillproof.attack.base.limits import Limits


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
        keep_images: Whether the outcome has the changed images.
    """

    early_exit: bool = True
    answer: Literal["first", "last"] = "first"
    limits: type[Limits] = Limits
    checked: bool = True
    keep_images: bool = False
