"""Whether an artifact is what an attacked set must be: cards and tensors of others may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import BadInput
from stillproof.core.mad_sets import ROLES
from stillproof.core.spec import Json

LEARNED = "learned_sources"  # what cards call the images that were learned from in attacked sets
TEXTS = ("called", "reference", "dataset", "part", "protocol")
MAY_BE_UNKNOWN: Mapping[str, type] = {"model": str, "test": str, "cell": str, "attack": dict, "truncated": bool}
BY_IMAGE = ("labels", "sources", "roles")
# What is said of each image where it is known: by the model, of passes, and of the size of the change.
PASSES = ("forwards", "backwards")
WHOLE = ("clean_predictions", "predictions", "rounded_predictions", "truncated_predictions", *PASSES)
SIZES = ("linf", "l2", "l1")


def check_card(card: Json, artifact: str) -> None:
    """Refuse a card that lacks what every attacked set says of itself, or says it in another form."""
    wrong = [key for key in TEXTS if not isinstance(card.get(key), str)]
    wrong += [key for key, kind in MAY_BE_UNKNOWN.items() if not isinstance(card.get(key, 0), kind | None)]
    wrong += [] if _is_count(card.get("per_class")) else ["per_class"]
    split = card.get("split")
    wrong += [] if isinstance(split, list) and len(split) == len(ROLES) and all(map(_is_count, split)) else ["split"]
    learned = card.get(LEARNED, {"of": "", "places": []})
    wrong += [] if _is_learned(learned) else [LEARNED]
    if wrong:
        raise BadInput(
            f"artifact {artifact[:12]} is no sound attacked set: {wrong[0]!r} of its card is missing or of another "
            "form; build or import it again."
        )


def check_values(card: Json, values: Mapping[str, Any], artifact: str) -> None:
    """Refuse tensors or arrays that do not fit each other, or contradict the card."""
    reason = _contradiction(card, {name: np.asarray(one) for name, one in values.items()})
    if reason:
        raise BadInput(f"artifact {artifact[:12]} is no sound attacked set: {reason}; build or import it again.")


def _contradiction(card: Json, values: Mapping[str, npt.NDArray[Any]]) -> str:
    """Return what is wrong with the values; nothing, if nothing is."""
    absent = [name for name in ("images", *BY_IMAGE) if name not in values]
    if absent:
        return f"it has no {absent[0]}"
    images, labels, sources, roles = (values[name] for name in ("images", *BY_IMAGE))
    if images.dtype != np.uint8 or images.ndim != 4 or not len(images):
        return f"its images are {images.dtype} of shape {images.shape}, and no bytes of shape (N, C, H, W)"
    for name, one in values.items():
        if one.shape[:1] != images.shape[:1]:
            return f"it has {len(images)} images and values of shape {one.shape} as {name}"
    for name in (*BY_IMAGE, *WHOLE, *SIZES):
        kind, said = (np.floating, "numbers") if name in SIZES else (np.integer, "whole numbers")
        if name in values and (values[name].ndim != 1 or not np.issubdtype(values[name].dtype, kind)):
            return f"its {name} are no {said}, one of each image"
    lone = [name for name in PASSES if name in values]
    if len(lone) == 1:
        return f"it has {lone[0]} alone of its passes"
    if roles.min() < 0 or roles.max() >= len(ROLES):
        return f"its roles go from {roles.min()} to {roles.max()}, and there are {', '.join(ROLES)} as 0 to 2"
    if sources.min() < -1 or labels.min() < 0:
        return "it has negative sources or labels"
    counts = np.unique(labels, return_counts=True)[1]
    if card["per_class"] > counts.min():
        return f"its card says {card['per_class']} images per class, and one class has {counts.min()}"
    return ""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_learned(value: object) -> bool:
    places = value.get("places") if isinstance(value, dict) else None
    return isinstance(value, dict) and "of" in value and isinstance(places, list) and all(map(_is_count, places))
