"""An expert: the weights of a network at every epoch of its training on real images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import Tensor

from stillproof.core.components import networks, recipes, stages
from stillproof.core.context import Context
from stillproof.core.data_title import data_title
from stillproof.core.errors import Corrupt
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.tensor_size import size_in_bytes
from stillproof.core.types import ImageSet
from stillproof.nets.build import build_network, forward_flops
from stillproof.run.cell import Planned
from stillproof.run.footprint import ARTIFACT, training_memory, weights_bytes
from stillproof.run.spaces import constants_of, space_of
from stillproof.run.stage import Answer, Job, Stage, answer_of, recorded
from stillproof.sets.fronts import front_of
from stillproof.suites.requests import Part, Request
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.trajectory import Trajectory

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

# What may differ between experts that go the same way.
_LENGTH = ("epochs", "curve_points")


@stages.register("expert", version=1)
@dataclass(frozen=True)
class Expert(Stage):
    """A network trained on real images, with its weights after every epoch, for methods that learn from these.

    Args:
        dataset: The data set.
        part: Which of its training images.
        network: The network.
        recipe: How it is trained.
        seed: Its seed.
        whitening: The whitening of its images, if any.
        normalised_as: The data set whose mean and std normalise its images; its own without a name.
    """

    dataset: str
    part: Part
    network: str
    recipe: str
    seed: int
    whitening: Request | None = None
    normalised_as: str = ""

    def plan(self, planner: Planner) -> Planned:
        """Plan the training, and the whitening that it needs."""
        data = planner.names.data(self.dataset, self.part)
        recipe, recipe_spec = planner.names.recipe(self.recipe)
        network, flops = planner.names.network(self.network, data.info)
        zca = planner.plan(self.whitening) if self.whitening else None
        constants = constants_of(self.normalised_as, data.info)
        name = planner.names.network_name(self.network, data.info)
        size = planner.names.network_size(self.network, data.info)
        trajectory = (recipe.epochs + 1) * weights_bytes(size)
        spec: Json = {"data": data.id, "info": data.info_spec(), "network": network, "recipe": recipe_spec}
        return Planned(
            spec=spec | ({"zca": zca.id} if zca else {}) | constants | {"seed": self.seed},
            label=f"expert {name} on {data_title(self.dataset)} seed {self.seed}",
            needs=(zca.id,) if zca else (),
            flops=planner.names.epoch_passes(recipe) * recipe.epochs * data.total * flops,
            where={"dataset": self.dataset, "part": self.part, "recipe": self.recipe},
            memory=training_memory(size, min(recipe.batch, data.total) / recipe.parts) + trajectory,
            disk=trajectory + ARTIFACT,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Train, keep every epoch's weights and store them."""
        spec, store = job.spec, job.store
        data = job.data(spec["data"], job.where["part"])
        recipe: Recipe = recipes.build(job.where["recipe"])
        network = networks.rebuild(spec["network"])
        space = space_of(spec, data.info, store)
        ctx = job.context(Seeds(spec["seed"]).child("expert"))
        body = build_network(network, data.info, ctx.seeds.child("network"), job.device)
        model = TrainedModel(front_of(space, store).to(job.device), body)
        flops = forward_flops(network, data.info.channels, data.info.size, data.num_classes)
        with Meter() as meter:
            begun = begun_trajectory(job, recipe)
            ctx.notes["epochs_found"] = len(begun.losses)
            weights, losses = train_expert(model, data, recipe, ctx, flops, begun)
        card: Json = {"data": spec["data"], "seed": spec["seed"], "network": networks.spec(network).as_dict()}
        card["recipe"] = recipes.spec(recipe).as_dict()["params"]
        name = f"expert-{data_title(job.where['dataset'])}-{job.cell[:6]}"
        artifact = store.keep("expert", {"weights": weights}, card, name=name, cell=job.cell)
        size = size_in_bytes([weights])
        result = {"artifact": artifact, "bytes": size, "losses": losses, "notes": ctx.notes} | meter.as_dict()
        return Answer(result, recorded(ctx), (artifact,))


def train_expert(
    model: TrainedModel, data: ImageSet, recipe: Recipe, ctx: Context, flops: float, begun: Trajectory | None = None
) -> tuple[Tensor, list[float]]:
    """Return the weights before training and after every epoch, (epochs + 1, P), and the mean loss of each epoch.

    The training goes on where ``begun`` ends.
    """
    trajectory = begun or Trajectory()
    if trajectory.points:
        trajectory.restore(model)
    else:
        trajectory.measure(model, 0)
    fit(model, from_images(data, model.front, ctx.device), recipe, ctx, curve=trajectory, flops=flops)
    return trajectory.weights(), trajectory.losses


def begun_trajectory(job: Job, recipe: Recipe) -> Trajectory:
    """Return the trajectory as far as the store has it, at most to the recipe's end; an empty one if it has none.

    Experts of two lengths go the same way as long as both last, where an epoch depends on nothing but the weights
    before it: under plain SGD with one step size.
    """
    if recipe.optimiser != "sgd" or recipe.momentum or recipe.schedule != "steps" or recipe.decay_epochs:
        return Trajectory()
    specs = job.store.results.specs("expert")
    wanted, best = _without_length(specs[job.cell]), Trajectory()
    for cell, spec in specs.items():
        record = job.store.results.get(cell)
        if _without_length(spec) != wanted or record is None or record.status != "done" or not _every_epoch(spec):
            continue
        answer = answer_of(cell, job.store)
        try:
            points = job.store.artifacts.read(answer["artifact"]).tensors["weights"][: recipe.epochs + 1]
        except Corrupt:  # its own readers will say so; here it is only not used
            continue
        if len(points) > len(best.points):
            best = Trajectory([point.clone() for point in points], answer["losses"][: len(points) - 1])
    return best


def _without_length(spec: Json) -> Json:
    return spec | {"recipe": {key: value for key, value in spec["recipe"].items() if key not in _LENGTH}}


def _every_epoch(spec: Json) -> bool:
    recipe = spec["recipe"]  # what is as in Recipe is left out
    return bool(recipe.get("curve_points", Recipe.curve_points) >= recipe.get("epochs", Recipe.epochs))
