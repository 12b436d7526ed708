"""What BEARD's attacks are given, and how it runs them: on normalised images, which its library takes for pixels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.run import batch_of
from stillproof.attack.base.targets import Policy
from stillproof.attack.cw import CarliniWagner
from stillproof.attack.deepfool import DeepFool
from stillproof.attack.faithful.carlini_wagner import BatchedCarliniWagner
from stillproof.attack.faithful.deepfool import ClampedDeepFool
from stillproof.core.errors import BadInput, Unsupported

BATCH = 256  # images that BEARD attacks at once
TARGETS_MODULO = 10  # whatever the number of classes
STEP = 2 / 225  # for 2/255

# By the name of an attack; what is not here is as the attack has it anyway.
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "pgd": {"step": STEP, "random_start": False},
    "pgd-l2": {"step": 15 / 255, "random_start": False},
    "mifgsm": {"step": 2 / 255},
    "difgsm": {"step": 2 / 255},
    "tifgsm": {"step": 2 / 255},
    "eotpgd": {"step": 2 / 255},
    "upgd": {"step": 2 / 255},
}


def faithful_form(attack: Attack) -> Attack:
    """Return an attack as BEARD's library has it: another algorithm, where that differs."""
    match attack:
        case CarliniWagner():
            if attack.searches != 1:
                raise BadInput(f"searches = {attack.searches} is not allowed: under faithful C&W searches once.")
            return BatchedCarliniWagner(attack.c, attack.kappa, attack.steps, attack.lr)
        case DeepFool():
            if attack.norm != "L2":
                raise BadInput(f"norm = {attack.norm} is not allowed: under faithful DeepFool is measured in L2.")
            return ClampedDeepFool(attack.steps, attack.overshoot)
        case _:
            return attack


def faithful_batch(attack: Attack) -> int:
    """Return how many images are attacked at once: as many as in BEARD where they end together, as in C&W."""
    return BATCH if isinstance(attack, CarliniWagner) else batch_of(attack)


def faithful_targets(labels: Tensor, classes: int, policy: Policy) -> Tensor:
    """Return the class after each image's own, modulo ten, however many there are."""
    if policy != "next":
        raise Unsupported(f"under faithful the target is the next class, and not {policy}.")
    if classes < TARGETS_MODULO:
        raise Unsupported(f"under faithful the target is the next of 10 classes, and the model has {classes}.")
    return (labels + 1) % TARGETS_MODULO
