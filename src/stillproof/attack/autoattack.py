"""AutoAttack: attacks of different kinds, each on what the one before it left."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from stillproof.attack.apgd import APGD
from stillproof.attack.apgd_t import APGDTargeted
from stillproof.attack.base.attack import Attack, BoundedAttack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm
from stillproof.attack.base.random_models import differ
from stillproof.attack.base.victim import COUNTED, WARNINGS, Victim
from stillproof.attack.fab_t import FABTargeted
from stillproof.attack.square import Square
from stillproof.core.components import attacks
from stillproof.core.errors import Unsupported
from stillproof.core.presets import Preset

log = logging.getLogger("stillproof")
SAMPLES = 20  # gradients for each step on a model that answers at random, as AutoAttack has it
SPARED = 0.002  # share of the images that Square may find besides, as AutoAttack has it; one image never counts


@attacks.register("autoattack", version=1, paper="arXiv:2003.01690")
@dataclass(frozen=True)
class AutoAttack(BoundedAttack):
    """AutoAttack's ``standard``: APGD on the cross-entropy, APGD-T, FAB-T and Square.

    For models that answer at random there is its ``rand``: APGD on the cross-entropy and on the ratio of differences of
    logits, each up the mean of 20 gradients.

    Args:
        eps: Radius of the ball, in pixels of [0, 1].
        norm: Norm of the ball.
        steps: Steps of each attack that makes steps, towards each class where it aims.
        classes: The most classes that APGD-T and FAB-T aim at; all others, if there are fewer.
        queries: Queries of Square.
        rescaled: Whether the schedule of Square is stretched over these.
        gives_back: Whether it is as torchattacks has it: images that withstand, or are wrong before, come back as they
            were, where others must make all steps too; whatever fools the model on the way counts; nothing is told.
        version: Which attacks it has.
    """

    norm: Literal["Linf", "L2"] = "Linf"
    steps: int = 100
    classes: int = 9
    queries: int = 5000
    rescaled: bool = False
    gives_back: bool = False
    version: Literal["standard", "rand"] = "standard"

    has_target = False
    presets: ClassVar[Sequence[Preset]] = (Preset("smoke", {"steps": 5, "classes": 2, "queries": 10}),)

    def __post_init__(self) -> None:
        """Refuse what its parts refuse."""
        super().__post_init__()
        self.parts()

    @property
    def measured_in(self) -> Norm:
        """Return the norm of the ball."""
        return self.norm

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, the same again, and those of the parts."""
        return (1 if self.gives_back else 2) + sum(part.passes - 1 for part in self.parts().values())

    def parts(self) -> dict[str, Attack]:
        """Return the attacks, by name, in their order."""
        if self.version == "rand":
            return {
                "apgd-ce": APGD(self.eps, self.steps, self.norm, samples=SAMPLES),
                "apgd-dlr": APGD(self.eps, self.steps, self.norm, loss="dlr", samples=SAMPLES),
            }
        return {
            "apgd-ce": APGD(self.eps, self.steps, self.norm),
            "apgd-t": APGDTargeted(self.eps, self.steps, self.norm, classes=self.classes),
            "fab-t": FABTargeted(self.steps, self.norm, classes=self.classes),
            "square": Square(self.eps, self.queries, self.norm, rescaled=self.rescaled),
        }

    def craft(self, crafting: Crafting) -> None:
        """Make each attack on what the one before it left, and say what is suspicious."""
        if not crafting.judged:
            raise Unsupported("AutoAttack judges a model that is finished: train with one of its parts, such as apgd.")
        if self.gives_back:
            self._make_as_libraries_do(crafting)
            return
        if self.version == "standard":
            _warn_of_randomness(crafting)
        left, found = crafting, {}
        for name, part in self.parts().items():
            if not len(left):
                break
            part.craft(left.drawing(name))
            before, left = len(left), left.only(left.unfooled())
            found[name] = before - len(left)
        _warn_of_square(crafting, found.get("square", 0))

    def _make_as_libraries_do(self, crafting: Crafting) -> None:
        """Make all steps of each attack, of which only Square lets images leave, and give back what withstands."""
        crafting.ledger.answer = "first"
        left = crafting.only(crafting.unfooled())
        for name, part in self.parts().items():
            if not len(left):
                return
            leaves = crafting.leaves or isinstance(part, Square)
            part.craft(dataclasses.replace(left.drawing(name), leaves=leaves))
            left = left.only(left.unfooled())
        left.give_back()


def _warn_of_randomness(crafting: Crafting) -> None:
    """Ask for the clean images again: gradients of a model that answers otherwise are those of other answers."""
    assert crafting.clean_logits is not None
    first, again = crafting.clean_logits, crafting.peek(crafting.images)
    changed = int(differ(first, again).sum())
    changed, total = _so_far(crafting.victim, "random", changed, len(crafting))
    said = f"the model answers at random ({changed} of {total} images): use autoattack:version=rand instead."
    _tell(crafting.victim, "random", said if changed else None)


def _warn_of_square(crafting: Crafting, found: int) -> None:
    """Say if the attack without gradients finds what those with gradients do not."""
    found, total = _so_far(crafting.victim, "square", found, len(crafting.ledger.labels))
    said = (
        "the model may be less robust than it seems: Square, which uses no gradients, fools images that withstand all "
        f"gradient attacks ({found} of {total}), so gradients may be masked."
    )
    _tell(crafting.victim, "square", said if found > max(1, SPARED * total) else None)


def _so_far(victim: Victim, what: str, found: int, looked_at: int) -> tuple[int, int]:
    """Add the images of a batch to those of the batches before it: how many were found, of how many."""
    counted = victim.notes.setdefault(COUNTED, {})
    before, seen = counted.get(what, (0, 0))
    counted[what] = [before + found, seen + looked_at]
    return before + found, seen + looked_at


def _tell(victim: Victim, what: str, said: str | None) -> None:
    """Keep the newest sentence, and log the first one; what more images have made harmless is taken back."""
    warnings = victim.notes.setdefault(WARNINGS, {})
    before = warnings.pop(what, None)
    if said is None:
        return
    warnings[what] = said
    if before is None:
        log.warning("%s", said)
