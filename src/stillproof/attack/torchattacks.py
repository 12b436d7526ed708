"""Attacks of torchattacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm
from stillproof.attack.foreign.base import AttackOne, ForeignAttack, Told
from stillproof.attack.foreign.blank_model import BlankModel
from stillproof.attack.foreign.counting_model import CountingModel
from stillproof.attack.foreign.library import used_class
from stillproof.core.components import attacks

# Names of radii, and norms of attacks that are given none.
RADII = ("eps", "max_epsilon")
NORMS: Mapping[str, Norm] = {
    **dict.fromkeys(("CW", "DeepFool", "PGDL2", "PGDRSL2"), "L2"),
    **dict.fromkeys(("EADL1", "EADEN", "SparseFool", "OnePixel", "Pixle", "JSMA"), "L1"),
}
STEPS = ("steps", "num_iter_set", "nb_iter")
TIMES = ("eot_iter", "n_restarts", "m", "N", "noise_batch_size", "nb_sample", "binary_search_steps")
PASSES: Mapping[str, float] = {"AutoAttack": 10_000.0, "JSMA": 1_000.0, "DeepFool": 200.0, "SparseFool": 500.0}


@attacks.register("torchattacks", version=1, below="CLASS")
@dataclass(frozen=True)
class Torchattacks(ForeignAttack):
    """Any attack of torchattacks by its class, as torchattacks/PGD:steps=20:eps=8/255.

    ``stillproof show torchattacks/PGD`` lists its options. Only targets make it targeted.

    Args:
        attack: The class.
        options: Its options, written in one form.
        release: The version of the library.
    """

    family: ClassVar[str] = "torchattacks"
    install: ClassVar[str] = "pip install --no-deps torchattacks==3.5.1"
    refused: ClassVar[Mapping[str, str]] = {"verbose": "nothing of the library's own is shown"}

    @classmethod
    def example(cls) -> str:
        """Return a class."""
        return "PGD"

    @classmethod
    def own_defaults(cls, name: str) -> dict[str, Any]:
        """Return options that are given to a class unless told otherwise."""
        # By default the seed is 0, which makes all images draw the same; None stands for one of each image's own.
        return {"seed": None} if "seed" in cls.parameters(name) else {}

    def told(self, options: Mapping[str, Any]) -> Told:
        """Return what is known of it."""
        every = self.parameters(self.attack) | dict(options)
        made = self._made(BlankModel(), options, seed=0)
        norm = NORMS.get(self.attack, every.get("norm", "Linf" if any(key in every for key in RADII) else "L2"))
        radius = next((float(every[key]) for key in RADII if key in every), None)
        return Told(norm, radius, "targeted" in made.supported_mode, _passes(self.attack, every))

    def ready(self, asked: CountingModel, crafting: Crafting, options: Mapping[str, Any]) -> AttackOne:
        """Return what attacks an image with an object of its own."""

        def attack_one(one: Crafting) -> Tensor:
            attack = self._made(asked, options, seed=int(torch.randint(2**31, ())))
            if one.targets is not None:
                attack.set_mode_targeted_by_label(quiet=True)
            made: Tensor = attack(one.images.clone(), one.labels if one.targets is None else one.targets)
            return made

        return attack_one

    def _made(self, model: torch.nn.Module, options: Mapping[str, Any], *, seed: int) -> Any:
        known = self.parameters(self.attack)
        given = dict(options) | ({"seed": seed} if "seed" in known and options.get("seed") is None else {})
        return used_class("torchattacks", self.attack)(model, **given)


def _passes(name: str, options: Mapping[str, Any]) -> float:
    """Return the most passes of one image, as a rule: the clean one, those of the attack, and what came of it."""
    if name in PASSES:
        return PASSES[name]
    if "n_queries" in options:
        return 2 + float(options["n_queries"] * options["n_restarts"])
    if "popsize" in options:
        return 2 + float(options["popsize"] * (1 + options["steps"]))
    if "max_iterations" in options and "restarts" in options:
        return 2 + float(options["max_iterations"] * options["restarts"])
    times = 1.0
    for key in TIMES:
        times *= max(1, options.get(key) or 1)
    steps = next((options[key] for key in STEPS if key in options), options.get("max_iterations", 1))
    return 2 + 2 * float(steps) * times
