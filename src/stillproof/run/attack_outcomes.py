"""What came of an attack, as the store keeps it: one number of each kind per image, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.victim import FEW_CLASSES, WARNINGS
from stillproof.core.errors import BadInput
from stillproof.core.protocol import Protocol
from stillproof.core.spec import Json
from stillproof.run.trained_models import read_of_training
from stillproof.store.store import Store

KIND = "attack-outcomes"
CLASS, COUNT = torch.int16, torch.int32
BYTES_PER_IMAGE = 40


def robust_images(outcome: Outcome, protocol: Protocol) -> Tensor:
    """Say which images the model has right in spite of the attack, (N,).

    Under ``faithful`` it is enough to be right afterwards, as in the original; otherwise an image that was wrong before
    counts as lost.
    """
    return outcome.robust if protocol == "fair" else outcome.predictions == outcome.labels


def outcome_tensors(outcome: Outcome, protocol: Protocol) -> dict[str, Tensor]:
    """Return the numbers of each image, as an artifact has them."""
    tensors = {
        "labels": outcome.labels.to(CLASS),
        "clean_predictions": outcome.clean_predictions.to(CLASS),
        "predictions": outcome.predictions.to(CLASS),
        "clean_right": outcome.clean_right,
        "fooled": outcome.fooled,
        "success": outcome.success,
        "robust": robust_images(outcome, protocol),
        "forwards": outcome.forwards.to(COUNT),
        "backwards": outcome.backwards.to(COUNT),
        "first_success": outcome.first_success.to(COUNT),
        "linf": outcome.linf,
        "l2": outcome.l2,
        "l1": outcome.l1,
        "no_gradient": outcome.no_gradient,
    }
    return tensors if outcome.targets is None else tensors | {"targets": outcome.targets.to(CLASS)}


def summarised(outcome: Outcome, protocol: Protocol) -> Json:
    """Return what the numbers of all images come to; fractions of all of them, and seconds."""
    n, turned = len(outcome), outcome.success
    return {
        "n": n,
        "clean_accuracy": int(outcome.clean_right.sum()) / n,
        "robust_accuracy": int(robust_images(outcome, protocol).sum()) / n,
        "success_rate": int(turned.sum()) / n,
        "passes_per_image": outcome.passes_per_image,
        "passes_to_success": _mean(outcome.first_success[turned]),
        "median_linf": _median(outcome.linf[turned]),
        "median_l2": _median(outcome.l2[turned]),
        "no_gradient": int(outcome.no_gradient.sum()) / n,
        "seconds": outcome.seconds,
        "clean_seconds": outcome.clean_seconds,
    }


def warnings_in(notes: Json) -> list[str]:
    """Return what an attack has noted that people should know of its numbers, one sentence each."""
    few = [notes[FEW_CLASSES]] if FEW_CLASSES in notes else []
    return [*few, *notes.get(WARNINGS, {}).values()]


def read_outcomes(store: Store, artifact: str) -> dict[str, Tensor]:
    """Return the numbers of each image."""
    found = read_of_training(store, artifact)
    if found.kind != KIND:
        raise BadInput(f"artifact {artifact[:12]} is of kind {found.kind}, and not what came of an attack.")
    return found.tensors


def judged_within(outcome: Mapping[str, Tensor], norm: Norm, eps: float) -> dict[str, Tensor]:
    """Return the numbers of each image as if changes that are larger than a ball had not been made."""
    near = outcome["success"] & (outcome[norm.lower()] <= eps)
    right = outcome["clean_right"]
    back = outcome["success"] & ~near
    return {
        **outcome,
        "predictions": torch.where(back, outcome["clean_predictions"], outcome["predictions"]),
        "fooled": outcome["fooled"] & ~back,
        "success": near,
        "robust": right & ~near,
        **{size: torch.where(back, torch.zeros_like(outcome[size]), outcome[size]) for size in ("linf", "l2", "l1")},
    }


def _mean(values: Tensor) -> float | None:
    return values.double().mean().item() if len(values) else None


def _median(values: Tensor) -> float | None:
    return median(values.tolist()) if len(values) else None
