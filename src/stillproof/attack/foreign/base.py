"""The base of attacks that are third-party code: a leaf says how its library is asked, this file does the rest."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.failures import note_failures
from stillproof.attack.base.norms import Norm
from stillproof.attack.foreign.counting_model import CountingModel
from stillproof.attack.foreign.isolation import seeded, silent
from stillproof.attack.foreign.named_by_class import NamedByClass
from stillproof.core.errors import BadInput, StillproofError, Unsupported

AttackOne = Callable[[Crafting], Tensor]  # one image under attack -> what became of it, (1, C, H, W)
ENOUGH = 20  # times the passes that an attack is thought to take, after which it is stopped
LEAST = 100_000  # passes that any attack may take


@dataclass(frozen=True)
class Told:
    """What is known of an attack before it is made.

    Args:
        norm: The norm that its changes are measured in.
        radius: Radius of its ball; None if it has none.
        targeted: Whether it can aim at a class.
        untargeted: Whether it can do without.
        passes: The most passes that one image takes, as a rule.
    """

    norm: Norm
    radius: float | None
    targeted: bool
    passes: float
    untargeted: bool = True


@dataclass(frozen=True)
class ForeignAttack(NamedByClass, Attack):
    """Base of attacks of other libraries.

    Args:
        attack: The class.
        options: Its options, written in one form.
        release: The version of the library.
    """

    one_by_one = True

    def refuse_what_its_class_refuses(self) -> None:
        """Make the attack once, on nothing."""
        _told(self)

    @abc.abstractmethod
    def told(self, options: Mapping[str, Any]) -> Told:
        """Return what is known of the attack; whatever its class refuses is raised."""

    @abc.abstractmethod
    def ready(self, asked: CountingModel, crafting: Crafting, options: Mapping[str, Any]) -> AttackOne:
        """Return what attacks one image of those that are attacked together."""

    @property
    def measured_in(self) -> Norm:
        """Return the norm of its changes."""
        return _told(self).norm

    @property
    def radius(self) -> float | None:
        """Return the radius of its ball, if it has one."""
        return _told(self).radius

    @property
    def passes(self) -> float:
        """Return the most passes that one image takes, as a rule."""
        return _told(self).passes

    @property
    def has_target(self) -> bool:  # type: ignore[override]
        """Say whether it can aim at a class."""
        return _told(self).targeted

    def check(self, images: Tensor, *, targeted: bool) -> None:
        """Refuse what this attack cannot do to images like these, and another version than it was planned with."""
        here = self.installed(self.attack)
        if self.release not in ("", here):
            raise BadInput(
                f"{self.name} was planned with version {self.release} of its library, and {here} is installed: "
                "install that version, or ask for the attack anew."
            )
        if targeted and not self.has_target:
            raise Unsupported(f"{self.name} has no targeted form: leave the target out.")
        if not targeted and not _told(self).untargeted:
            raise Unsupported(f"{self.name} aims at a class: give it a target.")
        super().check(images, targeted=targeted)

    def craft(self, crafting: Crafting) -> None:
        """Attack one image after the other; one that the library fails on stays as it was."""
        if not crafting.judged:
            raise Unsupported(f"{self.name} judges a model that is finished: train with one of our own, such as pgd.")
        asked = CountingModel(crafting, most=max(LEAST, ENOUGH * self.passes), softmax=self.wants_probabilities())
        with silent(self.family):
            attack_one = self.ready(asked, crafting, self.given())
        failed = []
        for row in range(len(crafting)):
            one = crafting.only(torch.arange(len(crafting), device=crafting.rows.device) == row)
            try:
                one.finish(self._attacked(attack_one, asked, one))
            except StillproofError:
                raise
            except Exception as error:  # somebody else's code, which may raise anything
                if asked.error is not None:  # the model's own
                    raise
                one.give_back()
                failed.append(f"{type(error).__name__}: {error}")
        note_failures(crafting.victim.notes, failed, tried=len(crafting))

    def wants_probabilities(self) -> bool:
        """Say whether it takes the model's answers for probabilities."""
        return False

    def _attacked(self, attack_one: AttackOne, asked: CountingModel, one: Crafting) -> Tensor:
        """Return what becomes of an image: the same one, whoever else is attacked."""
        seeds = one.streams.seeds.child("image", int(one.streams.indices[0]), "library")
        asked.about(one)
        with seeded(seeds, str(one.images.device)), silent(self.family):
            found = attack_one(one)
        if not isinstance(found, Tensor) or found.shape != one.images.shape:
            raise ValueError(f"it gave back {_kind(found)}, and no image of shape {tuple(one.images.shape[1:])}")
        return one.limits.project(one.images, found.detach().to(one.images))


@functools.lru_cache(maxsize=256)
def _told(attack: ForeignAttack) -> Told:
    """Return what is known of an attack, which takes making it once."""
    attack.installed(attack.attack)
    try:
        with silent(attack.family):
            return attack.told(attack.given())
    except StillproofError:
        raise
    except Exception as error:  # of the library, which may raise anything
        raise BadInput(f"attack {attack.name!r}: {type(error).__name__}: {error}".rstrip(".") + ".") from error


def _kind(found: Any) -> str:
    shape = getattr(found, "shape", None)
    return type(found).__name__ if shape is None else f"shape {tuple(shape)}"
