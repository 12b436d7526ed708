"""How well a network withstands an attack before and after it has seen a few images under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import torch

from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.components import stages
from stillproof.core.errors import BadInput
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import Split
from stillproof.run.attacked_model import AttackedModel, plan_model, read_attacked
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, training_memory, weights_bytes
from stillproof.run.learned_attacks import (
    SEEN,
    as_learned,
    attacked_data,
    learned_by,
    others_than,
    plan_sets,
    read_sets,
    refuse_learned,
    sources_of,
)
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.run.stages.meta_train import FIRST, SECOND, meta_objective
from stillproof.run.trained_models import read_of_training
from stillproof.suites.requests import Part, Request
from stillproof.train.meta.adapting import Shots
from stillproof.train.meta.few_shots import Adaptation, Found, Printed
from stillproof.train.meta.meta_step import PairNetwork, check_norms
from stillproof.train.objectives.meta_at import MetaAT
from stillproof.train.recipe_for import recipe_for

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

KIND = "adaptations"


@stages.register("adapt", version=1)
@dataclass(frozen=True)
class Adapt(Stage):
    """A network in front of one attacked set: what it says before, and after a few steps on a few of its images.

    Under ``fair`` each episode begins with the network as it is, makes a fixed number of steps on images that the set
    has to learn from, and is judged by images that it has for tests, which are of other sources; clean images are those
    of the split that no set has to learn from. Under ``faithful:mad`` algorithm 2 is followed as printed: the weights
    go on from episode to episode and learn from the very images that they are judged by, the best episode counts, and
    clean images are the whole split: an oracle.

    Args:
        model: The network.
        attacked: The attacked set.
        dataset: The data set that it is of.
        known: Attacked sets that the network may know, for the support sets of ``faithful:mad``.
        recipe: Where loss and step sizes come from.
        shots: Images per class that it adapts to (K).
        queries: Images per class that it is judged by (M), or as many as there are.
        episodes: Episodes, at most where they go on from each other.
        steps: Steps of an episode under ``fair``; 0 for none, under either protocol.
        clean_limit: Number of clean images to test on, from the first on; all by default.
        seed: Seed of what episodes draw.
        protocol: ``fair`` or ``faithful:mad``.
        part: Which split the sources are of.
    """

    model: Request
    attacked: Request
    dataset: str
    known: tuple[Request, ...] = ()
    recipe: str = "meta-at"
    shots: int = 1
    queries: int = 15
    episodes: int = 100
    steps: int = 10
    clean_limit: int | None = None
    seed: int = 0
    protocol: str = "fair"
    part: Split = "test"

    def plan(self, planner: Planner) -> Planned:
        """Plan the episodes, the network and the sets."""
        data = planner.names.data(self.dataset, self.part)
        model = plan_model(planner, self.model, self.dataset)
        recipe, recipe_spec = planner.names.recipe(self.recipe, data.info.name)
        objective, protocol = meta_objective(recipe), attack_protocol(self.protocol)
        printed = protocol.origin == "mad" and self.steps > 0
        sets = plan_sets(planner, (self.attacked, *(self.known if printed else ())), self.dataset, self.part)
        self._check(sets.least, objective, printed=printed)
        check_norms(objective.batch_norm, planner.names.has_batch_norm(model.network, data.info))
        if not protocol.origin and self.part in get_args(Part):
            raise BadInput(f"part = {self.part} is not allowed under fair: networks learn from those images.")
        _, flops = planner.names.network(model.network, data.info)
        size = planner.names.network_size(model.network, data.info)
        classes = min(objective.classes, data.info.num_classes)
        pairs, judged = classes * self.shots, classes * self.queries
        clean = min(self.clean_limit or data.total, data.total)
        each = self.steps * (2 * FIRST * pairs + judged) + clean
        if printed:
            each = 2 * (SECOND * objective.ways * pairs + FIRST * judged) + 2 * judged
        return Planned(
            spec={
                "model": model.spec,
                "attacked": sets.specs[0],
                **({"known": sets.specs[1:]} if printed else {"steps": self.steps}),
                "test": data.id,
                "recipe": recipe_spec,
                "shots": self.shots,
                "queries": self.queries,
                "episodes": self.episodes,
                "clean_limit": self.clean_limit,
                "seed": self.seed,
                "protocol": protocol.written,
            },
            label=f"adapt to {sets.labels[0]}, {model.label}",
            needs=tuple(dict.fromkeys((*model.needs, *sets.needs))),
            flops=self.episodes * each * flops,
            where={"dataset": self.dataset, "part": self.part, "network": model.network, "recipe": self.recipe},
            memory=2 * training_memory(size, 2 * pairs * (objective.ways if printed else 1)),
            disk=weights_bytes(size) + 2 * ARTIFACT,
        )

    def _check(self, least: dict[Any, int] | None, objective: MetaAT, *, printed: bool) -> None:
        for name in ("shots", "queries", "episodes", "clean_limit"):
            if (given := getattr(self, name)) is not None and given < 1:
                raise BadInput(f"{name} = {given} is not allowed: it must be at least 1.")
        if self.steps < 0:
            raise BadInput(f"steps = {self.steps} is not allowed: it must be at least 0.")
        if least is not None and self.shots > least["train"]:
            raise BadInput(
                f"shots = {self.shots} is not allowed: the set has {least['train']} images per class to learn from."
            )
        if printed and len(self.known) < objective.ways - 1:
            raise BadInput(
                f"ways = {objective.ways} is not allowed: beside the unknown attack there are {len(self.known)} known "
                "ones."
            )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Run the episodes, and keep what came of each."""
        spec = job.spec
        test = job.data(spec["test"], job.where["part"])
        model = read_attacked(spec["model"], job, test.info)
        recipe = recipe_for(job.where["recipe"], test.info.name)
        objective = meta_objective(recipe)
        adaptation, seen = _adaptation(job, model, objective)
        ctx, found, body = job.context(Seeds(spec["seed"]).child("adapt")), Found(), model.model.body
        start = {name: value.clone() for name, value in body.state_dict().items()}
        how = Printed(objective.ways, objective.inner, recipe.lr, recipe.clip, objective.order)
        with Meter() as meter:
            for number in ctx.loop(spec["episodes"], name="episodes", found=found, body=body):
                seeds = ctx.seeds.child("episode", number)
                with seeds.child("dropout").lent_to_torch(ctx.device):
                    if "steps" in spec:
                        adaptation.fair_episode(spec["steps"], seeds, found)
                    elif not objective.patience or found.waiting < objective.patience:
                        adaptation.printed_episode(start, how, seeds, found)
        result = _keep(job, found, model, adaptation, as_learned(seen, test.id))
        laps = ctx.laps["episodes"]  # of this process
        result |= {"seconds_per_episode": sum(laps) / len(laps) if laps else None, "notes": ctx.notes}
        result |= meter.as_dict()
        return Answer(result, recorded(ctx), (result["model"], result["outcomes"]), model.cells)


def _adaptation(job: Job, model: AttackedModel, objective: MetaAT) -> tuple[Adaptation, set[int]]:
    """Return the network in front of the attack, and the images that it has learned from once it has adapted."""
    spec, device, front = job.spec, job.device, model.model.front
    test = job.data(spec["test"], job.where["part"])
    unknown, *known = read_sets([spec["attacked"], *spec.get("known", ())], job)
    fair = not attack_protocol(spec["protocol"]).origin
    learned = learned_by(read_of_training(job.store, model.artifact).card, test.id) | sources_of([unknown], *SEEN)
    if known:  # as printed it learns from the images that it is judged by, too
        learned |= sources_of([unknown], "test") | sources_of(known, *SEEN)
    if fair:
        refuse_learned(learned, sources_of([unknown], "test"), unknown.card["called"])
    places = others_than(learned if fair else set(), len(test))[: spec["clean_limit"]]
    with torch.no_grad():
        clean = front(test.read(places, device))
    adaptation = Adaptation(
        network=PairNetwork(model.model.body, objective.eta, objective.smoothing, objective.batch_norm),
        shots=attacked_data([unknown, *known], "train", test, front, device),
        judged=attacked_data([unknown], "test", test, front, device),
        clean=clean,
        labels=test.labels[places],
        size=Shots(spec["shots"], spec["queries"], objective.classes),
        lr=objective.inner_lr,
    )
    return adaptation, learned


def _keep(job: Job, found: Found, model: AttackedModel, adaptation: Adaptation, learned: Json) -> Json:
    """Store the adapted network and what came of each episode; return the answer."""
    clean = len(adaptation.labels)
    about = {"cell": job.cell, "attacked": job.spec["attacked"], "protocol": job.spec["protocol"]}
    values = {
        "right": torch.tensor(found.right, dtype=torch.int32),
        "asked": torch.tensor(found.asked, dtype=torch.int32),
        "clean_after": torch.tensor(found.clean_after, dtype=torch.int32),
    }
    outcomes = job.store.keep(KIND, values, about, cell=job.cell)
    card = read_of_training(job.store, model.artifact).card | learned
    card |= {"adapted": about, "upstream": {"start": model.artifact}}
    weights = {name: value.detach().cpu() for name, value in found.weights.items()}
    adapted = job.store.keep("model", weights, card, name=f"adapted-{job.cell[:8]}", cell=job.cell)
    shares = values["right"].double() / values["asked"].unsqueeze(1)  # (episodes, steps + 1)
    before, after, clean_after = shares[:, 0], shares[:, -1], values["clean_after"].double() / clean
    each = "steps" in job.spec
    curve = shares.mean(0) if each else torch.cat([before[:1], after])
    if not each:  # episodes go on from each other: the best of them, and the weights at the start on its images
        before, after, clean_after = (one[after.argmax()].unsqueeze(0) for one in (before, after, clean_after))
    return {
        "model": adapted,
        "start": model.artifact,
        "outcomes": outcomes,
        "episodes": len(found.right),
        "n": found.asked[0],
        # Episodes that begin anew draw from the same images: these at most were asked about in all of them.
        "n_judged": min(len(adaptation.judged.attacks[0]), sum(found.asked)) if each else found.asked[0],
        "n_clean": clean,
        "sa": found.clean_before / clean,
        "ra": before.tolist(),
        "sa_after": clean_after.tolist(),
        "ra_after": after.tolist(),
        "curve": curve.tolist(),
        "diverged": found.diverged,
    }
