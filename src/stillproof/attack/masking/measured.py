"""What was measured of a model's gradients, image by image."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from stillproof.attack.base.norms import Norm

WHOLE = ("eps", "norm", "images", "right")  # what is said of all images together
LOOKED_AT = 500  # images: alarms are about a model, and need few
STEPS = 10  # of the attack with several steps
UNBOUNDED_STEPS = 40  # of the attack that no ball limits
BLACK_BOX = "square"  # the attack that needs no gradients
QUERIES = 100  # changed images that it asks about
NEAREST_STEPS = 30  # of the attack that looks for the nearest change
RADII = (0.5, 1.0, 2.0)  # of the ball's, at which it is compared with the attack with several steps


@dataclass(frozen=True)
class Measured:
    """Numbers of those images that a model has right.

    Args:
        eps: Radius of the ball that attacks were limited to.
        norm: Its norm.
        images: How many images there are, right or wrong.
        right: How many of them are right.
        by_one_step: Whether each right image is fooled by one step as long as the radius.
        by_many_steps: Whether it is by several steps from a random start.
        by_noise: Whether it is by a random change within the ball.
        by_unbounded: Whether it is by steps that no ball limits.
        by_black_box: Whether it is by an attack that needs no gradients, in the ball; not in L1.
        by_steps_at: Whether it is by several steps, at three radii.
        by_nearest_at: Whether the nearest change that is known is within these radii.
        no_gradient: Whether the gradient of the loss is zero everywhere, or no number.
        saturated: Whether the probability of its class is so near 1 that the loss has no slope.
        margins: By how many logits its class leads.
        at_random: Whether the model's answer changes when it is asked again.
        loss_after_one: The loss after one step of a quarter of the radius.
        loss_after_many: The loss after several such steps.
    """

    eps: float
    norm: Norm
    images: int
    right: int = 0
    by_one_step: Sequence[bool] = field(default=(), repr=False)
    by_many_steps: Sequence[bool] = field(default=(), repr=False)
    by_noise: Sequence[bool] = field(default=(), repr=False)
    by_unbounded: Sequence[bool] = field(default=(), repr=False)
    by_black_box: Sequence[bool] = field(default=(), repr=False)
    by_steps_at: Sequence[Sequence[bool]] = field(default=(), repr=False)
    by_nearest_at: Sequence[Sequence[bool]] = field(default=(), repr=False)
    no_gradient: Sequence[bool] = field(default=(), repr=False)
    saturated: Sequence[bool] = field(default=(), repr=False)
    margins: Sequence[float] = field(default=(), repr=False)
    at_random: Sequence[bool] = field(default=(), repr=False)
    loss_after_one: Sequence[float] = field(default=(), repr=False)
    loss_after_many: Sequence[float] = field(default=(), repr=False)

    def by_image(self) -> dict[str, Any]:
        """Return what was measured of each image, by name."""
        names = [one.name for one in dataclasses.fields(self) if one.name not in WHOLE]
        return {name: getattr(self, name) for name in names}

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the numbers of all batches together."""
        return cls(
            parts[0].eps,
            parts[0].norm,
            sum(part.images for part in parts),
            sum(part.right for part in parts),
            **{name: [value for part in parts for value in part.by_image()[name]] for name in parts[0].by_image()},
        )
