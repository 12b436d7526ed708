"""Attacks as they should be made: on pixels in [0, 1], with the whole model as the victim."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor, nn

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import batch_of
from stillproof.attack.base.targets import Policy
from stillproof.attack.base.victim import Model
from stillproof.core.protocol import Protocol
from stillproof.core.types import Space


class FrontAndBody(typing.Protocol):
    """A model that takes pixels: a front, and the body that sees what it makes of them."""

    @property
    def front(self) -> nn.Module:
        """Return the map from pixels into the body's space."""

    @property
    def body(self) -> nn.Module:
        """Return the network."""

    def __call__(self, pixels: Tensor) -> Tensor:
        """Return logits."""


class AttackProtocol(Protocol):
    """What is attacked, how, and what counts: the correct answers, of which an origin may have others."""

    sentence: ClassVar[str] = "Pixels are attacked; an image that is wrong before is lost."  # below tables
    in_pixels: ClassVar[bool] = True  # where a radius means what it says
    always_all_steps: ClassVar[bool] = False  # whether no image leaves early, asked for or not
    by_itself: ClassVar[str] = ""  # what it does to images without any attack, if that costs accuracy
    truncates: ClassVar[bool] = False  # whether images become bytes by cutting off what is behind the point
    splits_sources_once: ClassVar[bool] = True  # whether an image has the same role under every attack

    def parameters(self, attack: str) -> Mapping[str, Any]:
        """Return what an attack of that name is given, unless told otherwise."""
        return {}

    def form(self, attack: Attack) -> Attack:
        """Return an attack as it is made here."""
        return attack

    def batch(self, attack: Attack) -> int:
        """Return how many images are attacked at once."""
        return batch_of(attack)

    def rules(self, *, all_steps: bool, keep_images: bool) -> Rules:
        """Return how an attack is run.

        Args:
            all_steps: Whether it makes all its steps with every image, and the last image counts.
            keep_images: Whether the changed images are wanted.
        """
        return Rules(
            early_exit=not all_steps,
            answer="last" if all_steps else "first",
            keep_images=keep_images,
        )

    def victim(self, model: FrontAndBody) -> Model:
        """Return what of a model is attacked, and judges what came out."""
        return model

    def handed_over(self, pixels: Tensor, model: FrontAndBody) -> Tensor:
        """Return images as the attack gets them."""
        return pixels

    def as_pixels(self, images: Tensor, model: FrontAndBody) -> Tensor:
        """Return changed images as pixels, to be looked at."""
        return images

    def space(self, of_body: Space) -> Space:
        """Return the space that changed images live in.

        Args:
            of_body: The space that the model's body sees.
        """
        return Space("pixels")

    def targets(self, labels: Tensor, classes: int, policy: Policy) -> Policy | Tensor:
        """Return what a targeted attack aims at."""
        return policy

    def robust(self, before: Tensor, after: Tensor) -> Tensor:
        """Say which images withstand, from which are right before the attack and after it: those that are both."""
        return before & after


FAIR = AttackProtocol()
