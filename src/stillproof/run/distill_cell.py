"""Computes a distillation cell: data in, artifact out."""

from __future__ import annotations

import dataclasses

import torch

from stillproof.core.components import distillers
from stillproof.core.errors import StillproofError
from stillproof.core.provenance import Meter, provenance
from stillproof.core.spec import Json
from stillproof.core.types import Distilled, ImageSet
from stillproof.run.distill_context import make_context
from stillproof.run.source_data import load_exactly
from stillproof.run.world import Answer, World, recorded
from stillproof.sets.artifact import card_of, extra_files, tensors_of
from stillproof.sets.fronts import front_of
from stillproof.store.store import Store
from stillproof.transforms.front import Front


def compute_distill(cell_id: str, spec: Json, where: Json, world: World) -> Answer:
    """Distil, check what came out and store it; snapshots are stored as sets of their own."""
    data = load_exactly(spec["data"], where["dataset"], where["part"], world)
    method = distillers.build(spec["method"]["name"], spec["method"]["params"])
    ctx = make_context(cell_id, spec, where, world, data)
    with Meter() as meter:
        distilled = method.distill(data, spec["ipc"], ctx)
    check_distilled(distilled, data, spec["method"]["name"])
    name = f"{spec['method']['name']}-{data.info.name}-{spec['ipc']}ipc-s{spec['seed']}-{cell_id[:6]}"
    front = front_of(distilled.space, world.store)
    snapshots = {}
    for step, learned in ctx.snapshots().items():
        then, cost = _at_step(distilled, learned, step), _up_to(step, spec, meter)
        snapshots[step] = _keep(world.store, then, f"{name}@{step}", None, cost, front)
    artifact = _keep(world.store, distilled, name, cell_id, meter.as_dict(), front)
    result = {
        "artifact": artifact,
        "name": name,
        "bytes": distilled.card.bytes,
        "images": len(distilled.images),
        "history": thinned(ctx.history),
        "snapshots": snapshots,
        "notes": ctx.notes,
    } | meter.as_dict()
    return Answer(result, recorded(ctx))


def check_distilled(distilled: Distilled, data: ImageSet, method: str) -> None:
    """Refuse a result that nobody could train on."""
    images, labels = distilled.images, distilled.labels.values
    shape = (data.info.channels, data.info.size, data.info.size)
    if tuple(images.shape[1:]) != shape or len(images) != len(labels):
        raise StillproofError(f"{method} gave images {tuple(images.shape)} and {len(labels)} labels; expected {shape}.")
    if not bool(torch.isfinite(images).all()):
        raise StillproofError(f"{method} gave images with NaN or infinite values; try a smaller lr.")


def thinned(history: list[dict[str, float]], most: int = 500) -> list[dict[str, float]]:
    """Return at most ``most`` evenly spaced entries, the last among them."""
    stride = -(-len(history) // most) or 1
    return history[::-1][::stride][::-1]


def _at_step(distilled: Distilled, learned: dict[str, torch.Tensor], step: int) -> Distilled:
    """Return the set as it was: its images and, where they are learned, its labels and the rate to train at."""
    card = dataclasses.replace(distilled.card, params={**distilled.card.params, "steps": step})
    labels, recipe = distilled.labels, distilled.recipe
    if "labels" in learned:
        labels = dataclasses.replace(labels, values=learned["labels"])
    if "lr" in learned and recipe is not None:
        recipe = dataclasses.replace(recipe, params={**recipe.params, "lr": learned["lr"].item()})
    return dataclasses.replace(distilled, images=learned["images"], labels=labels, recipe=recipe, card=card)


def _up_to(step: int, spec: Json, meter: Meter) -> Json:
    """Return what the first steps cost: their share of the whole, as steps are alike."""
    steps = spec["method"]["params"].get("steps") or 1
    return meter.as_dict() | {"seconds": meter.seconds * min(step / steps, 1)}


def _keep(store: Store, distilled: Distilled, name: str, cell: str | None, cost: Json, front: Front) -> str:
    card = dataclasses.replace(distilled.card, cost=cost, provenance=provenance())
    distilled = dataclasses.replace(distilled, card=card)
    files = extra_files(distilled, front)
    artifact = store.artifacts.write("distilled", tensors_of(distilled), card_of(distilled), extra=files)
    store.register_artifact(artifact, "distilled", name, cell, card.bytes)
    return artifact
