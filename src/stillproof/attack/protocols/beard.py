"""Attacks as BEARD makes them, so that its published numbers come out: what is wrong with them stays wrong.

They act on normalised images, which its library takes for pixels.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.rules import AS_LIBRARIES_DO, Rules
from stillproof.attack.base.targets import Policy
from stillproof.attack.base.victim import Model
from stillproof.attack.cw import CarliniWagner
from stillproof.attack.deepfool import DeepFool
from stillproof.attack.protocols.batched_carlini_wagner import BatchedCarliniWagner
from stillproof.attack.protocols.clamped_deepfool import ClampedDeepFool
from stillproof.attack.protocols.fair import AttackProtocol, FrontAndBody
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.types import Space
from stillproof.transforms.front import Front
from stillproof.transforms.space import to_pixels

BATCH = 256  # images that BEARD attacks at once
TARGETS_MODULO = 10  # whatever the number of classes
STEP = 2 / 225  # for 2/255

# By the name of an attack; what is not here is as the attack has it anyway. This file imports no registry: there, these
# names would make the attacks part of whatever imports it.
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "pgd": {"step": STEP, "random_start": False},
    "pgd-l2": {"step": 15 / 255, "random_start": False},
    "mifgsm": {"step": 2 / 255},
    "difgsm": {"step": 2 / 255},
    "tifgsm": {"step": 2 / 255},
    "eotpgd": {"step": 2 / 255},
    "upgd": {"step": 2 / 255},
    "autoattack": {"steps": 10, "rescaled": True, "gives_back": True},
    "square": {"gives_back": True},
}


class BeardProtocol(AttackProtocol):
    """The ways of BEARD and of its library."""

    origin = "beard"
    plain = True  # as specs of its attacks have always said
    sentence = "As in BEARD, normalised images are attacked and clamped to [0, 1], which alone costs accuracy."
    in_pixels = False
    always_all_steps = True
    by_itself = "clamping normalised images to [0, 1]"

    def parameters(self, attack: str) -> Mapping[str, Any]:
        """Return the parameters of its scripts."""
        return PARAMETERS.get(attack, {})

    def form(self, attack: Attack) -> Attack:
        """Return an attack as its library has it: another algorithm, where that differs."""
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

    def batch(self, attack: Attack) -> int:
        """Return as many images as in BEARD where they end together, as in C&W."""
        return BATCH if isinstance(attack, CarliniWagner) else super().batch(attack)

    def rules(self, *, all_steps: bool, keep_images: bool) -> Rules:
        """Return the rules of its library, which makes all steps anyway."""
        return dataclasses.replace(AS_LIBRARIES_DO, keep_images=keep_images)

    def victim(self, model: FrontAndBody) -> Model:
        """Return the body alone."""
        return model.body

    def handed_over(self, pixels: Tensor, model: FrontAndBody) -> Tensor:
        """Return what the front makes of pixels."""
        images: Tensor = model.front(pixels)
        return images

    def as_pixels(self, images: Tensor, model: FrontAndBody) -> Tensor:
        """Return changed images as pixels, as far as they are some."""
        assert isinstance(model.front, Front)
        return to_pixels(images, model.front)

    def space(self, of_body: Space) -> Space:
        """Return the space of the body."""
        return of_body

    def targets(self, labels: Tensor, classes: int, policy: Policy) -> Tensor:
        """Return the class after each image's own, modulo ten, however many there are."""
        if policy != "next":
            raise Unsupported(f"under faithful the target is the next class, and not {policy}.")
        if classes < TARGETS_MODULO:
            raise Unsupported(f"under faithful the target is the next of 10 classes, and the model has {classes}.")
        return (labels + 1) % TARGETS_MODULO

    def robust(self, before: Tensor, after: Tensor) -> Tensor:
        """Say which images are right after the attack, whatever was before."""
        return after


BEARD = BeardProtocol()
