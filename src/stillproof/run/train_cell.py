"""Computes a training cell: a model, its whole curve, and what it said of every test image."""

from __future__ import annotations

import dataclasses

import torch

from stillproof.core.components import networks
from stillproof.core.provenance import Meter
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import ImageSet, Space
from stillproof.nets.build import build_network, forward_flops
from stillproof.run.source_data import load_exactly
from stillproof.run.training_data import training_data
from stillproof.run.world import Answer, World, context_of, recorded
from stillproof.sets.fronts import front_of
from stillproof.train.curve import Curve
from stillproof.train.loop import fit
from stillproof.train.model import ModelCard, TrainedModel
from stillproof.train.recipe import Recipe


def compute_train(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Train, measure and store."""
    device = world.options.device
    test = load_exactly(spec["test"], where["dataset"], "test", world)
    heldout = load_exactly(spec["heldout"], where["dataset"], where["heldout"], world) if spec["heldout"] else None
    recipe = Recipe.from_json(spec["recipe"])
    seeds = Seeds(spec["seed"]).child("train")
    network = networks.build(spec["network"]["name"], spec["network"]["params"])
    space, data = training_data(spec, where, world, test)
    model = TrainedModel(
        front_of(space, world.store).to(device), build_network(network, test.info, seeds.child("network"), device)
    )
    curve = Curve(test, heldout, device)
    ctx = context_of(cell_id, seeds, world)
    flops = forward_flops(network, test.info.channels, test.info.size, test.num_classes)
    with Meter() as meter:
        fit(model, data, recipe, ctx, curve=curve, flops=flops)
    result = _keep(curve, spec, space, test, world, cell_id) | {"notes": ctx.notes} | meter.as_dict()
    return Answer(result, recorded(ctx))


def _keep(curve: Curve, spec: Json, space: Space, test: ImageSet, world: World, cell_id: str) -> Json:
    """Store the chosen weights and every prediction; return the cell's result."""
    artifacts = world.store.artifacts
    models = {}
    for epoch, weights in curve.weights.items():
        card = ModelCard(
            network=spec["network"],
            info=dataclasses.asdict(test.info),
            space=dataclasses.asdict(space),
            recipe=spec["recipe"],
            upstream=spec["upstream"],
            seed=spec["seed"],
            epoch=epoch,
        )
        models[str(epoch)] = artifacts.write("model", weights, card.as_dict())
        size = sum(w.numel() * w.element_size() for w in weights.values())
        world.store.register_artifact(models[str(epoch)], "model", f"model-{cell_id[:8]}-{epoch}", cell_id, size)
    predictions = torch.stack(curve.predictions)  # (points, N_test)
    outcomes = {"predictions": predictions, "epochs": torch.tensor(curve.epochs)}
    outcomes_id = artifacts.write("outcomes", outcomes, {"test": spec["test"], "train": cell_id})
    world.store.register_artifact(outcomes_id, "outcomes", None, cell_id, predictions.numel() * 2)
    return {
        "epochs": curve.epochs,
        "losses": curve.losses,
        "test_accuracy": curve.test_accuracy,
        "heldout_accuracy": curve.heldout_accuracy or None,
        "models": models,
        "outcomes": outcomes_id,
        "n_test": len(test),
    }
