"""Attacks as MAD makes them, faults and all: on pixels, one image at a time, whatever comes out."""

from __future__ import annotations

import dataclasses

from stillproof.attack.art import ART
from stillproof.attack.base.attack import Attack
from stillproof.attack.base.losses import usual_cross_entropy
from stillproof.attack.base.rules import Rules
from stillproof.attack.cw import CarliniWagner
from stillproof.attack.protocols.batched_carlini_wagner import BatchedCarliniWagner
from stillproof.attack.protocols.fair import AttackProtocol
from stillproof.core.errors import BadInput


class MadProtocol(AttackProtocol):
    """The ways of MAD's code.

    Images that are wrong already are attacked too, the last point counts, and images become bytes by truncation. Each
    image has another role under each attack, so that sources of images to learn from are tested on as well.
    """

    origin = "mad"
    sentence = "As in MAD, all images are attacked to the last step, and its calls of libraries keep their faults."
    always_all_steps = True
    truncates = True
    splits_sources_once = False

    def form(self, attack: Attack) -> Attack:
        """Return an attack as MAD calls it."""
        match attack:
            case ART():
                return dataclasses.replace(attack, as_mad=True)
            case CarliniWagner():
                if attack.searches != 1:
                    raise BadInput(f"searches = {attack.searches} is not allowed: under faithful C&W searches once.")
                return BatchedCarliniWagner(attack.c, attack.kappa, attack.steps, attack.lr)
            case _:
                return attack

    def batch(self, attack: Attack) -> int:
        """Return one image where those of a batch end together, as in C&W."""
        return 1 if isinstance(attack, CarliniWagner) else super().batch(self.form(attack))

    def rules(self, *, all_steps: bool, keep_images: bool) -> Rules:
        """Return the rules of its libraries: all steps, and whatever comes last."""
        return Rules(
            early_exit=False, answer="last", cross_entropy=usual_cross_entropy, keep_images=keep_images, draws=0
        )


MAD = MadProtocol()
