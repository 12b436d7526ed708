"""A network that was taught, episode by episode, to withstand attacks from a few examples."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.core.spec import plain
from stillproof.core.types import Split
from stillproof.run.attacked_model import plan_model, read_attacked
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, training_memory, weights_bytes
from stillproof.run.learned_attacks import SEEN, as_learned, attacked_data, learned_by, plan_sets, read_sets, sources_of
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.trained_models import read_of_training
from stillproof.store.artifact_files import Artifact
from stillproof.suites.requests import Request
from stillproof.train.loop import fit
from stillproof.train.meta.attacked_source import AttackedSource
from stillproof.train.meta.meta_step import check_norms
from stillproof.train.objective import objective_of
from stillproof.train.objectives.meta_at import MetaAT
from stillproof.train.recipe import Recipe
from stillproof.train.recipe_for import recipe_for

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

# Parameters of a recipe that go by batches and passes, of which there are none in episodes.
WITHOUT_EPISODES = ("batch", "parts", "shuffle", "augment", "reset_momentum", "curve_points")
FIRST, SECOND = 3.0, 11.0  # forward passes of an image in an episode, by the order of its gradient


@stages.register("meta-train", version=1)
@dataclass(frozen=True)
class MetaTrain(Stage):
    """A network that goes on from another one, in episodes over attacked sets.

    Sources that the sets have for tests are not looked at.

    Args:
        start: The network that it starts from, without a defence or with one.
        sets: Attacked sets that it learns from.
        supports: Other sets of the same attacks that support sets are drawn from, such as distilled ones.
        validation: Attacked sets of other attacks that its epoch is chosen by; the last counts without any.
        dataset: The data set that they are of.
        recipe: How it is trained, as in ``meta-at:objective=meta-at(ways=2)``.
        seed: Its seed.
        part: Which split the sources are of.
    """

    start: Request
    sets: tuple[Request, ...]
    dataset: str
    recipe: str = "meta-at"
    seed: int = 0
    validation: tuple[Request, ...] = ()
    supports: tuple[Request, ...] = ()
    part: Split = "test"

    def plan(self, planner: Planner) -> Planned:
        """Plan the training, the network that it starts from, and the sets."""
        data = planner.names.data(self.dataset, self.part)
        start = plan_model(planner, self.start, self.dataset)
        recipe, recipe_spec = planner.names.recipe(self.recipe, data.info.name)
        objective = meta_objective(recipe)
        both = plan_sets(planner, (*self.sets, *self.validation), self.dataset, self.part)
        known = len(self.sets)
        supports = plan_sets(planner, self.supports, self.dataset, self.part)
        if supports.specs and len(supports.specs) != known:
            raise BadInput(f"{len(supports.specs)} supports for {known} attacks are not allowed: give one for each.")
        if objective.ways > known:
            raise BadInput(f"ways = {objective.ways} is not allowed: there are {known} attacks to learn from.")
        check_norms(objective.batch_norm, planner.names.has_batch_norm(start.network, data.info))
        asked = objective.shots + objective.queries
        if both.least is not None and asked > both.least["train"]:
            raise BadInput(
                f"an episode asks for {objective.shots} + {objective.queries} images of every class, and the sets have "
                f"{both.least['train']} to learn from: ask for fewer, or build them with more images per class."
            )
        _, flops = planner.names.network(start.network, data.info)
        size = planner.names.network_size(start.network, data.info)
        passes = 2 * objective.pairs * (SECOND if objective.order == "second" else FIRST)
        return Planned(
            spec={
                "start": start.spec,
                "sets": both.specs[:known],
                "validation": both.specs[known:],
                "test": data.id,
                "recipe": recipe_spec,
                "seed": self.seed,
                **({"supports": supports.specs} if supports.specs else {}),
            },
            label=f"meta-train on {known} attacks, seed {self.seed}, from {start.label}",
            needs=tuple(dict.fromkeys((*start.needs, *both.needs, *supports.needs))),
            flops=recipe.epochs * objective.episodes * passes * flops,
            where={
                "dataset": self.dataset,
                "part": self.part,
                "network": start.network,
                "recipe": self.recipe,
            },
            memory=2 * training_memory(size, 2 * objective.pairs),
            disk=weights_bytes(size) + ARTIFACT,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Train in episodes, and keep the weights."""
        spec = job.spec
        clean = job.data(spec["test"], job.where["part"])
        started = read_attacked(spec["start"], job, clean.info)
        recipe = recipe_for(job.where["recipe"], clean.info.name)
        objective = meta_objective(recipe)
        learned, judged = read_sets(spec["sets"], job), read_sets(spec["validation"], job)
        front = started.model.front
        source = AttackedSource(attacked_data(learned, "train", clean, front, job.device, objective.images))
        if judged:
            shots = attacked_data(judged, "train", clean, front, job.device)
            others = attacked_data(judged, "validation", clean, front, job.device)
            source = dataclasses.replace(source, shots=shots, judged=others)
        supports = read_sets(spec.get("supports", ()), job)
        if supports:
            _check_order(learned, supports)
            distilled = attacked_data(supports, "train", clean, front, job.device)
            source = dataclasses.replace(source, supports=distilled)
        ctx = job.context(Seeds(spec["seed"]).child("meta-train"))
        with Meter() as meter:
            fit(started.model, source.data(), recipe, ctx)
        card = read_of_training(job.store, started.artifact).card
        sets = {"sets": learned, "validation": judged, "supports": supports}
        seen = learned_by(card, clean.id) | sources_of((*learned, *judged, *supports), *SEEN)
        card = card | {
            "recipe": plain(dataclasses.asdict(recipe)),
            "upstream": {"start": started.artifact, **{key: [one.id for one in found] for key, found in sets.items()}},
            **as_learned(seen, clean.id),
            "seed": spec["seed"],
            "epoch": recipe.epochs,
        }
        weights = {name: value.detach().cpu() for name, value in started.model.body.state_dict().items()}
        model = job.store.keep("model", weights, card, name=f"model-{job.cell[:8]}", cell=job.cell)
        result = {"model": model, "start": started.artifact, "notes": ctx.notes} | meter.as_dict()
        return Answer(result, recorded(ctx), (model,), started.cells)


def _check_order(sets: Sequence[Artifact], supports: Sequence[Artifact]) -> None:
    for one, other in zip(sets, supports, strict=True):
        if one.card["called"] != other.card["called"]:
            raise BadInput(f"supports of {other.card['called']} stand in the place of {one.card['called']}'s.")


def meta_objective(recipe: Recipe) -> MetaAT:
    """Return the objective of a recipe that learns in episodes; any other is refused."""
    objective = objective_of(recipe.objective)
    if not isinstance(objective, MetaAT):
        raise BadInput(f"recipe with objective {recipe.objective!r} does not learn in episodes: choose meta-at.")
    idle = [key for key in WITHOUT_EPISODES if getattr(recipe, key) != getattr(Recipe, key)]
    if idle:
        raise BadInput(
            f"{idle[0]} = {getattr(recipe, idle[0])} means nothing to a recipe that learns in episodes: leave it out."
        )
    if recipe.schedule == "cyclic":
        raise BadInput("schedule = cyclic is not allowed where a recipe learns in episodes: its first step size is 0.")
    return objective
