"""Attacks of adversarial-robustness-toolbox."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.foreign.art_balls import art_ball
from stillproof.attack.foreign.art_classifier import art_classifier
from stillproof.attack.foreign.art_passes import art_passes
from stillproof.attack.foreign.art_repairs import (
    NEEDS_TARGET,
    OWN_DEFAULTS,
    PROBABILITIES,
    WANTS_MORE,
    Y_IS_TARGET,
    mend_attack,
    mended,
    most_forwards,
)
from stillproof.attack.foreign.base import AttackOne, ForeignAttack, Told
from stillproof.attack.foreign.blank_model import BlankModel
from stillproof.attack.foreign.counting_model import CountingModel
from stillproof.attack.foreign.library import used_class
from stillproof.core.components import attacks
from stillproof.core.errors import BadInput

SHAPE, CLASSES = (3, 32, 32), 10  # of images that there are none of yet
SHARED = frozenset({"SpatialTransformation"})  # attacks that MAD makes once for all images


@attacks.register("art", version=1, below="CLASS")
@dataclass(frozen=True)
class ART(ForeignAttack):
    """Any attack of adversarial-robustness-toolbox by its class, as art/HopSkipJump:max_iter=5.

    ``stillproof show art/HopSkipJump`` lists its options. Only targets make it targeted.

    Args:
        attack: The class.
        options: Its options, written in one form.
        release: The version of the library.
        as_mad: Whether it is called as MAD does: always with the true class, which some take for the one to go to, and
            one object for all images that are attacked together where that remembers the first.
    """

    as_mad: bool = False

    family: ClassVar[str] = "art"
    install: ClassVar[str] = "pip install 'stillproof[art]'"
    refused: ClassVar[Mapping[str, str]] = {
        "targeted": "targets say that",
        "verbose": "nothing of the library's own is shown",
        "summary_writer": "it would write files into the working folder",
        "parallel_pool_size": "it would attack in other processes, where nothing is counted",
    }

    @classmethod
    def example(cls) -> str:
        """Return a class."""
        return "HopSkipJump"

    @classmethod
    def own_defaults(cls, name: str) -> dict[str, Any]:
        """Return options that are given to a class unless told otherwise."""
        return OWN_DEFAULTS.get(name, {})

    def wants_probabilities(self) -> bool:
        """Say whether it takes the model's answers for probabilities."""
        return self.attack in PROBABILITIES

    def told(self, options: Mapping[str, Any]) -> Told:
        """Return what is known of it."""
        known = self.parameters(self.attack)
        every = known | self._usual() | dict(options)
        try:
            self._made(art_classifier(BlankModel(CLASSES), SHAPE, CLASSES, torch.device("cpu")), options, aims=False)
        except Exception as error:
            if type(error).__name__ == "EstimatorError":
                raise BadInput(f"attack {self.name!r} is not made for classifiers of torch.") from error
            raise
        norm, radius = art_ball(self.attack, every)
        aims = not self.as_mad and self.attack not in WANTS_MORE and ("targeted" in known or self.attack in Y_IS_TARGET)
        return Told(norm, radius, aims, art_passes(self.attack, every), self.as_mad or self.attack not in NEEDS_TARGET)

    def ready(self, asked: CountingModel, crafting: Crafting, options: Mapping[str, Any]) -> AttackOne:
        """Return what attacks an image with an object of its own, which remembers nothing."""
        assert crafting.clean_logits is not None
        shape, classes = tuple(crafting.images.shape[1:]), crafting.clean_logits.shape[1]
        classifier = art_classifier(asked, shape, classes, crafting.images.device)
        one_for_all = self.as_mad and self.attack in SHARED
        with self._mended():
            shared = self._made(classifier, options, aims=False) if one_for_all else None

        def attack_one(one: Crafting) -> Tensor:
            with self._mended():
                attack = self._made(classifier, options, aims=one.targets is not None) if shared is None else shared
                if not self.as_mad:
                    mend_attack(attack, shape)
                asked.most = min(asked.most, most_forwards(attack) or asked.most)
                y = self._classes(one, classes)
                found = attack.generate(one.images.cpu().numpy(), **({} if y is None else {"y": y}))
            return torch.as_tensor(found)

        return attack_one

    def _mended(self) -> AbstractContextManager[None]:
        return mended(used_class("art", self.attack).__module__)

    def _made(self, classifier: Any, options: Mapping[str, Any], *, aims: bool) -> Any:
        known = self.parameters(self.attack)
        ours = {"verbose": False} | ({} if self.as_mad else {"targeted": aims})
        given = self._usual() | dict(options) | {key: value for key, value in ours.items() if key in known}
        return used_class("art", self.attack)(classifier, **given)

    def _usual(self) -> dict[str, Any]:
        return {} if self.as_mad else self.own_defaults(self.attack)

    def _classes(self, one: Crafting, classes: int) -> Any:
        """Return the class that it is told of, one-hot, which all of them understand; nothing where that misleads."""
        if one.targets is None and self.attack in Y_IS_TARGET and not self.as_mad:
            return None
        meant = one.labels if one.targets is None else one.targets
        return F.one_hot(meant, classes).float().cpu().numpy()
