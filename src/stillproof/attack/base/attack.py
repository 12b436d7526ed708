"""The contract of an attack: a leaf says how images are changed, the base owns everything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.ledger import Ledger
from stillproof.attack.base.limits import Limits
from stillproof.attack.base.norms import Norm, largest
from stillproof.attack.base.streams import Streams
from stillproof.attack.base.victim import Model, Victim, frozen
from stillproof.core.components import attacks
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, Unsupported


class Attack:
    """Base of all attacks; a subclass is a frozen dataclass of hyper-parameters that has ``craft``.

    ``has_target`` tells whether it can aim at a class. ``leaves`` tells whether images that are fooled may leave the
    batch: right where it is enough to be fooled, wrong where the nearest change is looked for, which ``nearest`` tells.
    ``one_by_one`` tells that images of a batch are attacked one after the other, so that large batches gain nothing.
    """

    has_target: ClassVar[bool] = True
    leaves: ClassVar[bool] = True
    nearest: ClassVar[bool] = False
    one_by_one: ClassVar[bool] = False

    @property
    def measured_in(self) -> Norm:
        """Return the norm that changes are limited or measured in."""
        return "Linf"

    @property
    def radius(self) -> float | None:
        """Return how far images may be changed in that norm; None if there is no bound."""
        return None

    @property
    def tries(self) -> int:
        """Return how often an image that is not fooled yet is attacked, each time with draws of its own."""
        return 1

    @property
    def passes(self) -> float:
        """Return the most passes, forward and backward, that one image takes, for estimates of the work."""
        raise NotImplementedError

    def craft(self, crafting: Crafting) -> None:
        """Change the images: ask ``crafting`` for logits and gradients, and tell it the last points by ``finish``."""
        raise NotImplementedError

    def perturb(self, model: Model, x: Tensor, y: Tensor, *, target: Tensor | None = None, ctx: Context) -> Tensor:
        """Return the changed images of a batch, for adversarial training.

        All steps are made for all images, the model stays in the mode that it is in, and its weights get no gradients.
        Pixels outside [0, 1], which distilled sets have, are led no further out.

        Args:
            model: Takes pixels to logits.
            x: Pixels, (N, C, H, W).
            y: Their classes, (N,).
            target: Classes that they shall be taken for.
            ctx: Its ``seeds`` give the random draws.
        """
        self.check(x, targeted=target is not None)
        x = x.detach()
        rows = torch.arange(len(x), device=x.device)
        ledger = Ledger(x, y, "nearest" if self.nearest else "last", self.measured_in)
        ledger.targets = target
        limits = Limits(self.measured_in, self.radius)
        streams = Streams(ctx.seeds, rows.cpu(), x.device)
        with frozen(model), ctx.seeds.child("model").lent_to_torch(str(x.device)):
            victim = Victim(model, in_chunks=False)  # training makes its own
            crafting = Crafting(victim, ledger, limits, streams, x, y, target, rows, leaves=False, judged=False)
            if self.nearest:  # without knowing what fools the model it would find nothing
                crafting = replace(crafting.looked(), judged=True)
                assert crafting.clean_logits is not None
                ledger.begin(crafting.clean_logits)
            self.craft(crafting)
        return ledger.images

    def check(self, images: Tensor, *, targeted: bool) -> None:
        """Refuse what this attack cannot do to images like these."""
        if targeted and not self.has_target:
            raise Unsupported(f"{type(self).__name__} has no targeted form: leave the target out.")
        values = images.shape[1:].numel()
        most = largest(self.measured_in, values)
        if self.radius is not None and not 0 < self.radius <= most:
            raise BadInput(
                f"eps = {self.radius:g} is not allowed: for images of {values} values in [0, 1] it must be above 0 "
                f"and at most {most:g} in {self.measured_in}."
            )


@dataclass(frozen=True)
class BoundedAttack(Attack):
    """Base of attacks that look for any change within a ball.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
    """

    eps: float = 8 / 255

    def __post_init__(self) -> None:
        """Refuse a ball that holds nothing."""
        if not self.eps > 0:
            raise ValueError(f"eps must be above 0, not {self.eps:g}")

    @property
    def radius(self) -> float | None:
        """Return the radius of the ball."""
        return self.eps


def attack_of(reference: str, params: Mapping[str, Any] | None = None) -> Attack:
    """Return the attack that ``reference`` names, as ``pgd:steps=20``; ``params`` override."""
    built = attacks.build(reference, params)
    if not isinstance(built, Attack):
        raise BadInput(f"attack {reference!r} is no subclass of stillproof.attack.base.attack.Attack.")
    return built
