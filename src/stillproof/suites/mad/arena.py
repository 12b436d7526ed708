"""One victim, the attacks on it, and the defences that stand before these: what each of them is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput
from stillproof.core.mad_baselines import BASELINES, baseline_for
from stillproof.core.mad_sets import ROLES, MadSet, Role
from stillproof.core.reference import parse_reference, write_nested, write_reference
from stillproof.suites.fixed_attack import FixedAttack, fixed_attack
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.mad.known_attacks import KnownAttack, known_as, role_for
from stillproof.suites.requests import Request, Row, real_images, trained
from stillproof.suites.row_builder import FULL, RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.mad.suite import Mad

NONE, META = "none", "meta-at"
SHOTS = 15  # of Meta-AT, unless told
# Parameters of the suite that change no number of the tables that published values stand in.
DECIDE_NOTHING = {
    *("dataset", "protocol", "scale", "seeds", "sections", "defences", "variants", "ways", "backbones"),
    *("methods", "ipc", "distilled_recipe", "support_methods", "own_sets"),
}


@dataclass(frozen=True)
class Defender:
    """A network in front of the attacks.

    Args:
        defence: ``none``, a robust baseline, any other defence, or ``meta-at``.
        variant: Parameters of Meta-AT that differ from the suite's, as in ``ways=2,lr=0.01``.
        method: What the networks are trained on: a distiller, or ``full`` for all real images.
        ipc: Images per class; none for all real images.
        network: The network; the suite's unless told.
        start: What Meta-AT starts from; as the suite has it unless told.
        supports: What distils its support sets from attacked images; nothing if they are these themselves.
    """

    defence: str
    variant: str = ""
    method: str = FULL
    ipc: int | None = None
    network: str = ""
    start: str = ""
    supports: str = ""


@dataclass(frozen=True)
class Arena:
    """Turns questions about the attacks on one data set into rows."""

    suite: Mad
    builder: RowBuilder
    like: MadSet

    @property
    def dataset(self) -> str:
        """Return the data set, as it is shown to the networks."""
        return self.builder.dataset

    @cached_property
    def attacks(self) -> tuple[KnownAttack, ...]:
        """Return the attacks, in the order of their names in the set, with what each is for."""
        if self.fixed:
            found = [self._there(one) for one in self.fixed]
        else:
            named = self.suite.attacks or tuple(f"mad/{number}" for number in self.like.numbers)
            found = [known_as(reference, self.like) for reference in named]
        # One that comes again with other parameters takes the place of the one before, as in ``attack-set build``.
        return tuple({one.called: one for one in found}.values())

    @cached_property
    def fixed(self) -> list[FixedAttack]:
        """Return the existing attacked sets."""
        found = [fixed_attack(text) for text in self.suite.attacked_sets]
        if len({one.called for one in found}) < len(found):
            raise BadInput("attacked_sets has several sets of one attack: name those of one build.")
        if len({one.model for one in found}) > 1:
            raise BadInput("attacked_sets were made on several models: name those of one build.")
        return found

    @property
    def knows_victim(self) -> bool:
        """Say whether it is known what attacked sets were made on."""
        return not self.fixed or bool(self.fixed[0].model)

    @property
    def _stored_victim(self) -> FixedAttack | None:
        """Return one of the existing attacked sets, if it says which model it was made on."""
        return self.fixed[0] if self.fixed and self.knows_victim else None

    def _there(self, one: FixedAttack) -> KnownAttack:
        if data_title(one.dataset) != data_title(self.dataset) or one.part != "test":
            raise BadInput(
                f"the attacked set of {one.called} is of {one.part} images of {one.dataset}, not of test images of "
                f"{self.dataset}."
            )
        return KnownAttack(one.called, one.called, role_for(one.called, self.like), artifact=one.artifact)

    def of_role(self, *roles: Role) -> list[KnownAttack]:
        """Return the attacks for some purposes that can be made."""
        return [one for one in self.attacks if one.role in roles and not one.reason]

    def there(self) -> list[KnownAttack]:
        """Return all attacks that can be made."""
        return self.of_role(*ROLES)

    def victim(self) -> Request:
        """Ask for the undefended network that attacked sets are made on: one for all seeds."""
        suite = self.suite
        if one := self._stored_victim:
            return Request("model", artifact=one.model, network=one.network)
        return trained(real_images(self.dataset), self.builder.home, suite.recipe or self.like.recipe, 0)

    def has_own_sets(self, one: Defender) -> bool:
        """Say whether a network of a distilled set meets images that were made on it, undefended."""
        return one.ipc is not None and self.suite.own_sets and not self.fixed

    def attacked(self, attack: KnownAttack, one: Defender | None = None, seed: int = 0) -> Request:
        """Ask for images under an attack, made on the victim, or on the network of a distilled set itself."""
        if attack.artifact:
            return Request("artifact", artifact=attack.artifact, dataset=self.dataset, name=attack.called)
        suite, model = self.suite, self.victim()
        if one is not None and self.has_own_sets(one):
            model = self.model(Defender(NONE, method=one.method, ipc=one.ipc), seed)
        return Request(
            "attacked-set",
            model=model,
            dataset=self.dataset,
            attack=attack.reference,
            per_class=suite.per_class or self.like.per_class,
            split=suite.split,
            protocol=suite.asks.name,
        )

    def model(self, one: Defender, seed: int) -> Request:
        """Ask for the network of one seed; without a defence, on all real images, that is the victim itself."""
        if one.defence == META:
            return self._taught(one, seed)
        if one == Defender(NONE):
            return self.victim()
        on = self.builder.images(one.method, one.ipc, seed)
        network, recipe = one.network or self.builder.home, self._recipe(one)
        if one.defence == NONE:
            own = 0 if one.ipc is None else seed
            return trained(on, network, recipe, own)
        return trained(on, network, recipe, seed, defence=self._defence(one.defence))

    def _taught(self, one: Defender, seed: int) -> Request:
        start = Defender(one.start or self.suite.start, method=one.method, ipc=one.ipc, network=one.network)
        if start.defence == META:
            raise BadInput(f"start = {META} is not allowed: choose none or a defence that Meta-AT goes on from.")
        known = self.of_role("train")
        asked = Request(
            "meta-train",
            start=self.model(start, seed),
            sets=tuple(self.attacked(attack, one, seed) for attack in known),
            validation=tuple(self.attacked(attack, one, seed) for attack in self.of_role("validation")),
            dataset=self.dataset,
            recipe=self.meta_recipe(one.variant),
            seed=seed,
        )
        if one.supports:
            asked = asked.but(supports=tuple(self._supports(one, attack, seed) for attack in known))
        return asked

    def _supports(self, one: Defender, attack: KnownAttack, seed: int) -> Request:
        """Ask for as many distilled images of an attack as an episode takes."""
        _, given = parse_reference(self.suite.meta)
        return Request(
            "distil-attacked",
            attacked=self.attacked(attack),
            method=one.supports,
            ipc=int(given.get("shots", SHOTS)),
            seed=seed,
            network=self.builder.home,
            scale=self.builder.scale,
        )

    def meta_recipe(self, variant: str = "") -> str:
        """Return the recipe of Meta-AT, with other parameters where a variant says so."""
        name, params = parse_reference(self.suite.meta)
        recipe, given = parse_reference(self.suite.meta_recipe)
        if "objective" in given:
            raise BadInput("meta_recipe must not name an objective, which meta is: set meta in its place.")
        changes = dict(part.split("=", 1) for part in variant.split(",") if part)
        rate = {"lr": changes.pop("lr")} if "lr" in changes else {}
        clip = {"clip": changes.pop("clip")} if "clip" in changes else {}
        objective = write_nested(name, {**params, **changes})
        return write_reference(recipe, {**given, **rate, **clip, "objective": objective})

    def _recipe(self, one: Defender) -> str:
        if one.ipc is not None:
            return self.suite.distilled_recipe
        if one.defence in BASELINES:
            return self.suite.baseline_recipe or baseline_for(one.defence, self.dataset).recipe
        return self.suite.recipe or self.like.recipe

    def _defence(self, name: str) -> str:
        return baseline_for(name, self.dataset).defence if name in BASELINES else name

    def adapts(self, one: Defender) -> bool:
        """Say whether a defence gets shots: as in the paper, R-YOPO and R-ATTA do not."""
        return parse_reference(one.defence)[0] not in ("r-yopo", "r-atta")

    def adapt(self, one: Defender, attack: KnownAttack, seed: int) -> Request:
        """Ask what a network says of an attack's images before and after it has seen a few of them."""
        suite = self.suite
        known = tuple(self.attacked(other, one, seed) for other in self.of_role("train") if other != attack)
        return Request(
            "adapt",
            model=self.model(one, seed),
            attacked=self.attacked(attack, one, seed),
            known=known if suite.asks.is_oracle and self.adapts(one) else (),
            dataset=self.dataset,
            recipe=self.meta_recipe(one.variant),
            shots=suite.shots,
            queries=suite.queries,
            episodes=suite.episodes,
            steps=suite.steps if self.adapts(one) else 0,
            clean_limit=suite.clean_limit or None,
            seed=seed,
            protocol=suite.asks.name,
        )

    @property
    def _is_as_published(self) -> bool:
        """Say whether the data, the attacks and all that decides a number are those of the original."""
        suite, usual = self.suite, type(self.suite)()
        decide = {field.name for field in dataclasses.fields(suite)} - DECIDE_NOTHING
        same = all(getattr(suite, name) == getattr(usual, name) for name in decide)
        return same and self.dataset == self.like.faithful_dataset and not any(one.reason for one in self.attacks)

    def row(self, section: str, one: Defender, ask: Callable[[int], Request], **more: Any) -> Row:
        """Return a row with one request per seed."""
        requests = [ask(seed) for seed in range(self.builder.seeds)]
        there, victim = fixed_set(one.method), self._stored_victim
        about = {
            "network": victim.network if victim and self._is_victims(one) else one.network or self.builder.home,
            "recipe": self._shown_recipe(one),
            "defence": one.defence,
            "variant": one.variant,
            "supports": one.supports,
            "start": one.start or (self.suite.start if one.defence == META else ""),
            "like": self.like.name,
            "as_published": self._is_as_published,
            "is_victim": one == Defender(NONE),
            "made_on": "own" if self.has_own_sets(one) else "" if self.knows_victim else "unknown",
            "victim": f"model {victim.model[:12]} ({victim.network})" if victim else "",
        }
        method, ipc = (there.name, there.ipc) if there else (one.method, one.ipc)
        return self.builder.row(section, method, ipc, requests, **about, **more)

    def _is_victims(self, one: Defender) -> bool:
        """Say whether a network is the victim itself, or goes on from its weights."""
        start = one.start or self.suite.start if one.defence == META else one.defence
        return dataclasses.replace(one, defence=start, variant="", start="", supports="") == Defender(NONE)

    def _shown_recipe(self, one: Defender) -> str:
        """Return how a network is trained, as tables say it; of a victim that was there before its card alone knows."""
        if one.defence == META:
            return self.meta_recipe(one.variant)
        return "" if one == Defender(NONE) and self._stored_victim else self._recipe(one)

    def adapting(self, section: str, defenders: Sequence[Defender], attacks: Sequence[KnownAttack]) -> Iterator[Row]:
        """Yield one row per network and attack."""
        for one in defenders:
            for attack in attacks:
                yield self.row(
                    section,
                    one,
                    partial(self.adapt, one, attack),
                    measure="adapt",
                    attack=attack.called,
                    role=attack.role,
                )
