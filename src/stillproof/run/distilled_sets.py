"""Distilled sets on their way into the store: checked, cut back to a step of their making, and kept."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from stillproof.core.errors import StillproofError
from stillproof.core.provenance import provenance
from stillproof.core.spec import Json
from stillproof.core.types import Distilled, ImageSet
from stillproof.sets.artifact import card_of, extra_files, tensors_of
from stillproof.sets.fronts import front_of
from stillproof.store.store import Store


def check_distilled(distilled: Distilled, data: ImageSet, method: str) -> None:
    """Refuse a result that nobody could train on."""
    images, labels = distilled.images, distilled.labels.values
    shape = (data.info.channels, data.info.size, data.info.size)
    if tuple(images.shape[1:]) != shape or len(images) != len(labels):
        raise StillproofError(f"{method} gave images {tuple(images.shape)} and {len(labels)} labels; expected {shape}.")
    if not bool(torch.isfinite(images).all()):
        raise StillproofError(f"{method} gave images with NaN or infinite values; try a smaller lr.")


def at_step(distilled: Distilled, learned: dict[str, Tensor], step: int) -> Distilled:
    """Return the set as it was: its images and, where they are learned, its labels and the rate to train at."""
    card = dataclasses.replace(distilled.card, params={**distilled.card.params, "steps": step})
    labels, recipe = distilled.labels, distilled.recipe
    if "labels" in learned:
        labels = dataclasses.replace(labels, values=learned["labels"])
    if "lr" in learned and recipe is not None:
        recipe = dataclasses.replace(recipe, params={**recipe.params, "lr": learned["lr"].item()})
    return dataclasses.replace(distilled, images=learned["images"], labels=labels, recipe=recipe, card=card)


def keep_set(store: Store, distilled: Distilled, name: str, cell: str | None, cost: Json) -> str:
    """Write a set to the store under a name, with what it cost; return its id."""
    card = dataclasses.replace(distilled.card, cost=cost, provenance=provenance())
    distilled = dataclasses.replace(distilled, card=card)
    files = extra_files(distilled, front_of(distilled.space, store))
    return store.keep("distilled", tensors_of(distilled), card_of(distilled), name=name, cell=cell, extra=files)


def set_name(spec: Json, dataset: str, cell: str) -> str:
    """Return the name of the set that a distillation makes."""
    return f"{spec['method']['name']}-{dataset}-{spec['ipc']}ipc-s{spec['seed']}-{cell[:6]}"


def cost_up_to(step: int, steps: int, cost: Json) -> Json:
    """Return what the first steps cost: their share of the whole, since all steps cost the same."""
    return cost | {"seconds": cost["seconds"] * min(step / max(steps, 1), 1)}
