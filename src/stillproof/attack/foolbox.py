"""Attacks of foolbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm
from stillproof.attack.foreign.base import AttackOne, ForeignAttack, Told
from stillproof.attack.foreign.counting_model import CountingModel
from stillproof.attack.foreign.installed import module_of
from stillproof.attack.foreign.library import used_class
from stillproof.core.components import attacks
from stillproof.core.errors import BadInput, Unsupported

RADIUS = "epsilon"  # of attacks within a ball; it is no option of their classes
USUAL: Mapping[Norm, float] = {"Linf": 8 / 255, "L2": 128 / 255, "L1": 12.0}  # radii, as of our own attacks
NORMS: Mapping[float, Norm] = {0: "L1", 1: "L1", 2: "L2", float("inf"): "Linf"}
DISTANCES = ("l0", "l1", "l2", "linf")
NOT_FOR_IT = "unsupported criterion"  # as foolbox says that an attack cannot aim, or cannot but aim
# They change images whatever is wanted of these, and do not say so.
AIMLESS = frozenset({"BaseAdditiveNoiseAttack", "DeepFoolAttack", "InversionAttack", "L2ContrastReductionAttack"})
PASSES: Mapping[str, float] = {"HopSkipJumpAttack": 30_000.0, "PointwiseAttack": 2_000.0, "SpatialAttack": 126.0}
SEARCHES = ("binary_search_steps", "population", "repeats")


@attacks.register("foolbox", version=1, below="CLASS")
@dataclass(frozen=True)
class Foolbox(ForeignAttack):
    """Any attack of foolbox by its class, as foolbox/LinfPGD:steps=20:epsilon=8/255.

    ``stillproof show foolbox/LinfPGD`` lists its options; the radius of a ball is ``epsilon``.

    Args:
        attack: The class.
        options: Its options, written in one form.
        release: The version of the library.
    """

    family: ClassVar[str] = "foolbox"
    install: ClassVar[str] = "pip install foolbox==3.3.4"
    refused: ClassVar[Mapping[str, str]] = {
        "tensorboard": "it would write files into the working folder",
        "init_attack": "it is an object, and has no name",
    }

    @classmethod
    def example(cls) -> str:
        """Return a class."""
        return "LinfPGD"

    @classmethod
    def parameters(cls, name: str) -> dict[str, Any]:
        """Return the options of a class, and the radius of its ball if it has one."""
        return super().parameters(name) | ({RADIUS: USUAL[_norm(used_class("foolbox", name))]} if _within(name) else {})

    @classmethod
    def spelled(cls, name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what is given to a class; an ``eps``, as all others call it, is its ``epsilon``."""
        if _within(name) and "eps" in given:
            if RADIUS in given:
                raise BadInput(f"attack 'foolbox/{name}' is given eps and epsilon: leave one of them out.")
            return {RADIUS if key == "eps" else key: value for key, value in given.items()}
        return given

    def told(self, options: Mapping[str, Any]) -> Told:
        """Return what is known of it."""
        made, every = self._made(options), self.parameters(self.attack) | dict(options)
        radius = float(every[RADIUS]) if RADIUS in every else None
        aims = AIMLESS.isdisjoint(base.__name__ for base in type(made).__mro__)
        return Told(_norm(made), radius, aims, _passes(self.attack, every))

    def ready(self, asked: CountingModel, crafting: Crafting, options: Mapping[str, Any]) -> AttackOne:
        """Return what attacks an image with an object of its own."""
        foolbox = module_of("foolbox", "")
        model = foolbox.PyTorchModel(asked, bounds=(0, 1), device=crafting.images.device)
        within = {} if self.radius is None else {RADIUS: self.radius}

        def attack_one(one: Crafting) -> Tensor:
            criterion = foolbox.criteria.Misclassification(one.labels)
            if one.targets is not None:
                criterion = foolbox.criteria.TargetedMisclassification(one.targets)
            try:
                made: Tensor = self._made(options).run(model, one.images.clone(), criterion, **within)
            except ValueError as error:
                if NOT_FOR_IT not in str(error):
                    raise
                aimed = "has no targeted form: leave the target out"
                said = "aims at a class: give it a target" if one.targets is None else aimed
                raise Unsupported(f"{self.name} {said}.") from error
            return made

        return attack_one

    def _made(self, options: Mapping[str, Any]) -> Any:
        given = {key: value for key, value in options.items() if key != RADIUS}
        if isinstance(name := given.get("distance"), str):
            if name not in DISTANCES:
                raise BadInput(f"attack {self.name!r}: distance = {name} is not one of {', '.join(DISTANCES)}.")
            given["distance"] = getattr(module_of("foolbox", ".distances"), name)
        return used_class("foolbox", self.attack)(**given)


def _within(name: str) -> bool:
    """Say whether an attack stays within a ball."""
    return issubclass(used_class("foolbox", name), module_of("foolbox", ".attacks.base").FixedEpsilonAttack)


def _norm(attack: Any) -> Norm:
    """Return the norm of an attack, or of its class; some have none, and some are given one."""
    return NORMS[getattr(getattr(attack, "distance", None), "p", 2)]


def _passes(name: str, options: Mapping[str, Any]) -> float:
    """Return the most passes of one image, as a rule: the clean one, those of the attack, and what came of it."""
    if name in PASSES:
        return PASSES[name]
    times = 1.0
    for key in SEARCHES:
        times *= max(1, options.get(key) or 1)
    steps = options.get("steps", 1)
    return 2 + 2 * float(steps if isinstance(steps, int) else 1) * times
