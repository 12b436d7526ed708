"""APGD-T: APGD towards each of the likeliest other classes in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from stillproof.attack.apgd import APGD
from stillproof.attack.base.aims import one_by_one
from stillproof.attack.base.crafting import Crafting
from stillproof.core.components import attacks
from stillproof.core.presets import Preset


@attacks.register("apgd-t", version=1, paper="arXiv:2003.01690")
@dataclass(frozen=True)
class APGDTargeted(APGD):
    """Go towards the likeliest other class of each clean image, then towards the next, until any wrong one is reached.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        steps: Number of steps towards each class.
        norm: Norm of the ball.
        loss: Loss to maximise: the difference-of-logits ratio (DLR) towards a class, or minus its cross-entropy.
        restarts: Number of runs, each on the images that are not fooled yet.
        rho: Share of steps in which the loss must grow for the step size to stay.
        samples: Gradients averaged in each step, for models that answer at random.
        classes: Number of other classes to try at most.
    """

    loss: Literal["ce", "dlr"] = "dlr"
    classes: int = 9

    has_target = False
    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 8, "classes": 2}),)

    def __post_init__(self) -> None:
        """Refuse to aim at nothing."""
        super().__post_init__()
        if self.classes < 1:
            raise ValueError(f"classes must be at least 1, not {self.classes}")

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, and for each class two for each gradient and one more."""
        return 1 + self.tries * self.classes * (2 * self.samples * self.steps + 1)

    def craft(self, crafting: Crafting) -> None:
        """Make the steps towards each class, with what is left."""
        for aimed in one_by_one(crafting, self.classes):
            super().craft(aimed)
