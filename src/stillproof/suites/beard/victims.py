"""The models that are attacked, and what is asked of each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from stillproof.core.reference import parse_reference
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.requests import Request, Row
from stillproof.suites.row_builder import FULL, RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.beard.suite import Beard

Mode = Literal["untargeted", "targeted"]
MODES: tuple[Mode, ...] = ("untargeted", "targeted")
TARGETS = {"untargeted": None, "targeted": "next"}  # the class after the image's own, as in the original


@dataclass(frozen=True)
class Victim:
    """Networks that were trained on the sets of one method, one per seed.

    Args:
        method: The method; ``full`` for all real images.
        ipc: Images per class; none for all real images.
        defence: How they were trained to withstand attacks; empty if they were not.
    """

    method: str
    ipc: int | None
    defence: str = ""

    @property
    def name(self) -> str:
        """Return what people call the method; existing sets of several sizes may share a name."""
        there = fixed_set(self.method)
        return there.name if there else self.method


@dataclass(frozen=True)
class Victims:
    """Turns questions about the models of one data set and one network into rows."""

    suite: Beard
    builder: RowBuilder
    network: str

    @property
    def reaches(self) -> dict[str, float]:
        """Return how far curves reach in each norm."""
        return self.suite.reaches(self.builder.dataset)

    def undefended(self) -> Iterator[Victim]:
        """Yield the models without a defence: of all real images, then of every method and size."""
        methods = self.suite.methods
        if self.suite.real_recipe:
            yield Victim(FULL, None)
            methods = tuple(method for method in methods if method != FULL)  # the distiller of that name is the same
        for method, ipc in self.builder.asked(methods, self.suite.ipc):
            yield Victim(method, ipc)

    def largest(self) -> Iterator[Victim]:
        """Yield those of the largest sets of each method, and of all real images."""
        found = list(self.undefended())
        most = {one.name: one.ipc for one in sorted(found, key=lambda one: one.ipc or 0)}
        return (one for one in found if one.ipc == most[one.name])

    def defended(self) -> Iterator[Victim]:
        """Yield the models of the largest sets, with every defence."""
        for one in self.largest():
            yield from (Victim(one.method, one.ipc, defence) for defence in self.suite.defences)

    def all(self) -> Iterator[Victim]:
        """Yield all models, those with a defence only where they are asked about."""
        yield from self.undefended()
        if "defences" in self.suite.sections:
            yield from self.defended()

    def model(self, victim: Victim, seed: int) -> Request:
        """Ask for the network of one seed."""
        on = self.builder.images(victim.method, victim.ipc, seed)
        return self.builder.trained(on, self.network, self.recipe(victim), seed, defence=victim.defence or None)

    def recipe(self, victim: Victim) -> str:
        """Return how its networks are trained."""
        return self.suite.real_recipe if victim.ipc is None else self.suite.recipe

    def attack(self, victim: Victim, attack: str, mode: Mode, seed: int, protocol: str | None = None) -> Request:
        """Ask for an attack on the network of one seed."""
        return Request(
            "attack",
            model=self.model(victim, seed),
            dataset=self.builder.dataset,
            attack=attack,
            targets=TARGETS[mode],
            limit=self.suite.limit or None,
            seed=seed,
            protocol=protocol or self.suite.asks.name,
        )

    def row(self, section: str, victim: Victim, ask: Callable[[int], Request], **more: Any) -> Row:
        """Return a row with one request per seed."""
        requests = [ask(seed) for seed in range(self.builder.seeds)]
        about = {"network": self.network, "recipe": self.recipe(victim), "defence": victim.defence}
        return self.builder.row(section, victim.method, victim.ipc, requests, **about, **more)


def family(attack: str) -> str:
    """Return the name that an attack's reference begins with."""
    return parse_reference(attack)[0]
