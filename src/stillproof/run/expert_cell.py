"""Computes an expert cell: the weights of a network at every epoch of its training on real images."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from torch import Tensor

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import ImageSet, Space
from stillproof.nets.build import build_network, forward_flops
from stillproof.run.source_data import load_exactly
from stillproof.run.world import Answer, World, answer_of, context_of, recorded
from stillproof.run.zca_cell import whitened
from stillproof.sets.fronts import front_of
from stillproof.store.store import Store
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.trajectory import Trajectory

READ_AT_ONCE = 16  # trajectories kept in memory


def compute_expert(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Train on real images, keep every epoch's weights and store them."""
    device = world.options.device
    data = load_exactly(spec["data"], where["dataset"], where["part"], world)
    recipe = Recipe.from_json(spec["recipe"])
    network = networks.build(spec["network"]["name"], spec["network"]["params"])
    space = whitened(spec["zca"], world.store) if "zca" in spec else Space.normalised(data.info)
    ctx = context_of(cell_id, Seeds(spec["seed"]).child("expert"), world)
    body = build_network(network, data.info, ctx.seeds.child("network"), device)
    model = TrainedModel(front_of(space, world.store).to(device), body)
    flops = forward_flops(network, data.info.channels, data.info.size, data.num_classes)
    with Meter() as meter:
        weights, losses = train_expert(model, data, recipe, ctx, flops)
    card: Json = {"data": spec["data"], "network": spec["network"], "recipe": spec["recipe"], "seed": spec["seed"]}
    artifact = world.store.artifacts.write("expert", {"weights": weights}, card)
    size = weights.numel() * weights.element_size()
    world.store.register_artifact(artifact, "expert", f"expert-{data.info.name}-{cell_id[:6]}", cell_id, size)
    result = {"artifact": artifact, "bytes": size, "losses": losses, "notes": ctx.notes} | meter.as_dict()
    return Answer(result, recorded(ctx))


def train_expert(
    model: TrainedModel, data: ImageSet, recipe: Recipe, ctx: Context, flops: float
) -> tuple[Tensor, list[float]]:
    """Return the weights before training and after every epoch, (epochs + 1, P), and the mean loss of each epoch."""
    trajectory = Trajectory()
    trajectory.measure(model, 0)
    fit(model, from_images(data, model.front, ctx.device), recipe, ctx, curve=trajectory, flops=flops)
    return trajectory.weights(), trajectory.losses


class Experts(Sequence[Tensor]):
    """The trajectories that a distiller learns from, read from the store when they are asked for."""

    def __init__(self, cells: Sequence[str], store: Store) -> None:
        """Name the expert cells."""
        self.cells = cells
        self._read = lru_cache(maxsize=READ_AT_ONCE)(lambda cell: _weights(cell, store))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.cells)

    def __getitem__(self, number: int) -> Tensor:  # type: ignore[override]
        """Return one trajectory, (epochs + 1, P), on the CPU."""
        return self._read(self.cells[number])


def _weights(cell: str, store: Store) -> Tensor:
    return store.artifacts.read(answer_of(cell, store)["artifact"]).tensors["weights"]
