"""A trained network: its weights, its whole curve, and what it predicted for every test image."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from stillproof.core.components import defences, networks, stages
from stillproof.core.errors import BadInput
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json, plain
from stillproof.core.types import ImageSet, Space
from stillproof.nets.build import build_network, forward_flops
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, looking_memory, training_memory, weights_bytes
from stillproof.run.labelled_images import made_from, read_images
from stillproof.run.spaces import space_of
from stillproof.run.stage import Answer, Job, Stage, recorded
from stillproof.sets.fronts import front_of
from stillproof.sets.teachers import read_teachers
from stillproof.sets.training_space import training_space
from stillproof.suites.requests import Heldout, Request
from stillproof.train.curve import Curve
from stillproof.train.data import from_distilled, from_images
from stillproof.train.loop import fit
from stillproof.train.model import TEST_BATCH, ModelCard, TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.recipe_for import recipe_for
from stillproof.train.train_data import TrainData

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

PREDICTION = 2  # bytes of one, as the curve keeps it


@stages.register("train", version=1)
@dataclass(frozen=True)
class Train(Stage):
    """A network trained on real, distilled or attacked images, and tested.

    Args:
        on: What it is trained on.
        network: The network.
        recipe: How it is trained.
        seed: Its seed.
        heldout: A held-out part of the training images to measure accuracy on, too.
        whole_curve: Whether to measure at all points of the recipe's curve, and not only at the end.
        defence: Adversarial training in place of the recipe's objective, such as ``pgd-at:eps=8/255``; none by default.
    """

    on: Request
    network: str
    recipe: str
    seed: int
    heldout: Heldout | None = None
    whole_curve: bool = False
    defence: str | None = None

    def plan(self, planner: Planner) -> Planned:
        """Plan the training, and the images that it needs."""
        images = planner.images(self.on)
        test = planner.names.data(images.dataset, "test")
        heldout = planner.names.data(images.dataset, self.heldout).id if self.heldout else None
        if (origin := made_from(images, planner)) is not None and origin in (test.id, heldout):
            raise BadInput(f"{images.label}: a network must not be trained on the images that it is tested on.")
        recipe, recipe_spec = planner.names.recipe(self.recipe, test.info.name)
        if not self.whole_curve:
            recipe = dataclasses.replace(recipe, curve_points=1)
            recipe_spec = {key: value for key, value in recipe_spec.items() if key != "curve_points"}
        network, flops = planner.names.network(self.network, test.info)
        spec = {
            "upstream": images.spec,
            "test": test.id,
            "heldout": heldout,
            "info": test.info_spec(),
            "network": network,
            "recipe": recipe_spec,
            "seed": self.seed,
        }
        defended, times = planner.names.defence(self.defence, test.info) if self.defence else ({}, 1.0)
        points = sum(recipe.is_measured(epoch) for epoch in range(recipe.epochs))
        passes, size = times * planner.names.epoch_passes(recipe), planner.names.network_size(self.network, test.info)
        kept = min(points, 3 if self.heldout else 2)  # the last epoch and those that a rule may choose
        name = planner.names.network_name(self.network, test.info)
        where = {"dataset": images.dataset, "part": images.part, "network": name, "recipe": self.recipe}
        return Planned(
            spec=spec | defended,
            label=f"train {name} on {with_seed(images.label, self.seed)}"
            + (f" with {self.defence}" if self.defence else ""),
            needs=images.needs,
            flops=(passes * recipe.epochs * images.count + points * test.total) * flops,
            where=where | ({"heldout": self.heldout} if self.heldout else {}),
            memory=max(
                training_memory(size, min(recipe.batch, images.count) / recipe.parts), looking_memory(size, TEST_BATCH)
            ),
            disk=kept * (weights_bytes(size) + ARTIFACT) + points * test.total * PREDICTION + ARTIFACT,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Train, measure and store."""
        spec = job.spec
        test = job.data(spec["test"], "test")
        heldout = job.data(spec["heldout"], job.where["heldout"]) if spec["heldout"] else None
        points = spec["recipe"].get("curve_points", 1)
        recipe = dataclasses.replace(recipe_for(job.where["recipe"], test.info.name), curve_points=points)
        seeds = Seeds(spec["seed"]).child("train")
        network = networks.rebuild(spec["network"])
        space, data = _training_data(job, test)
        model = TrainedModel(
            front_of(space, job.store).to(job.device),
            build_network(network, test.info, seeds.child("network"), job.device),
        )
        curve = Curve(test, heldout, job.device)
        defence = defences.rebuild(spec["defence"]) if "defence" in spec else None
        ctx = job.context(seeds)
        flops = forward_flops(network, test.info.channels, test.info.size, test.num_classes)
        with Meter() as meter:
            fit(model, data, recipe, ctx, curve=curve, flops=flops, defence=defence)
        result = _keep(job, curve, recipe, space, test) | {"notes": ctx.notes} | meter.as_dict()
        return Answer(result, recorded(ctx), (*result["models"].values(), result["outcomes"]))


def with_seed(images: str, seed: int) -> str:
    """Return the label of images with the seed of a training on them; it is said once where both are the same."""
    if images.endswith(f" seed {seed}"):
        return images
    return f"{images}, trained with seed {seed}" if " seed " in images else f"{images} seed {seed}"


def _training_data(job: Job, test: ImageSet) -> tuple[Space, TrainData]:
    """Return the space that the network's body sees, and the images to train on, in that space."""
    images, device = read_images(job.spec["upstream"], job.where["part"], job), job.device
    if isinstance(images, ImageSet):
        space = space_of(job.spec["upstream"].get("space", {}), images.info, job.store)
        return space, from_images(images, front_of(space, job.store).to(device), device)
    space = training_space(images, test.info)
    teachers = read_teachers(images, job.store, job.where["dataset"], test.info, device)
    return space, from_distilled(images, front_of(space, job.store).to(device), device, teachers)


def _keep(job: Job, curve: Curve, recipe: Recipe, space: Space, test: ImageSet) -> Json:
    """Store the chosen weights and every prediction; return the cell's result."""
    spec, store = job.spec, job.store
    network = networks.spec(networks.rebuild(spec["network"])).as_dict()
    models = {}
    for epoch, weights in curve.weights.items():
        card = ModelCard(
            network=network,
            info=dataclasses.asdict(test.info),
            space=dataclasses.asdict(space),
            recipe=plain(dataclasses.asdict(recipe)),
            upstream=spec["upstream"],
            seed=spec["seed"],
            epoch=epoch,
        )
        name = f"model-{job.cell[:8]}-{epoch}"
        known = card.as_dict() | {key: spec[key] for key in ("defence",) if key in spec}
        models[str(epoch)] = store.keep("model", weights, known, name=name, cell=job.cell)
    predictions = torch.stack(curve.predictions)  # (points, N_test)
    outcomes = {"predictions": predictions, "epochs": torch.tensor(curve.epochs)}
    kept = store.keep("outcomes", outcomes, {"test": spec["test"], "train": job.cell}, cell=job.cell)
    return {
        "epochs": curve.epochs,
        "losses": curve.losses,
        "test_accuracy": curve.test_accuracy,
        "heldout_accuracy": curve.heldout_accuracy or None,
        "models": models,
        "outcomes": kept,
        "n_test": len(test),
    }
