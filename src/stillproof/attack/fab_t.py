"""FAB-T: FAB towards each of the likeliest other classes in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from stillproof.attack.base.aims import one_by_one
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.fab import FAB
from stillproof.core.components import attacks
from stillproof.core.presets import Preset


@attacks.register("fab-t", version=1, paper="arXiv:2003.01690")
@dataclass(frozen=True)
class FABTargeted(FAB):
    """Look for the border to the likeliest other class of each clean image, then for that to the next.

    A step takes one backward pass, whatever the number of classes.

    Args:
        steps: Number of steps towards each class.
        norm: The norm that changes are measured in.
        alpha_max: The most weight of the way from the image itself, against that from the last point.
        eta: How far to go, as a share of the way to the border.
        beta: Share of the change that is left once the border is crossed.
        farthest: Size of a change beyond which an image stays as it was; without a number, the nearest one counts
            wherever it is.
        classes: Number of other classes to try at most.
    """

    classes: int = 9

    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 5, "classes": 2}),)

    def __post_init__(self) -> None:
        """Refuse to aim at nothing."""
        super().__post_init__()
        if self.classes < 1:
            raise ValueError(f"classes must be at least 1, not {self.classes}")

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, and three for each step towards each class."""
        return 1 + 3 * self.steps * self.classes

    def craft(self, crafting: Crafting) -> None:
        """Search for the border to each class, with the images that may go on."""
        for aimed in one_by_one(crafting.only(crafting.unfooled()), self.classes):
            self.search(aimed)
