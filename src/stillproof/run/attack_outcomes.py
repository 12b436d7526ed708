"""What came of an attack, as the store keeps it: one number of each kind per image, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.random_models import majority_sentence
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.run.trained_models import read_of_training
from stillproof.score.attacked_images import outcome_summary
from stillproof.store.store import Store

if TYPE_CHECKING:
    from stillproof.attack.protocols.fair import AttackProtocol

KIND = "attack-outcomes"
CLASS, COUNT = torch.int16, torch.int32
BYTES_PER_IMAGE = 40


def robust_images(outcome: Outcome, protocol: AttackProtocol) -> Tensor:
    """Say which images the model has right in spite of the attack, (N,)."""
    return protocol.robust(outcome.clean_right, outcome.predictions == outcome.labels)


def outcome_tensors(outcome: Outcome, protocol: AttackProtocol) -> dict[str, Tensor]:
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
    if outcome.clean_share is not None and outcome.right_share is not None:
        tensors |= {"clean_share": outcome.clean_share, "right_share": outcome.right_share}
    return tensors if outcome.targets is None else tensors | {"targets": outcome.targets.to(CLASS)}


def summarised(outcome: Outcome, protocol: AttackProtocol) -> Json:
    """Return what the numbers of all images come to; fractions of all of them, and seconds."""
    draws = {} if outcome.draws is None else {"draws": int(outcome.draws.max())}
    return (
        outcome_summary(outcome_tensors(outcome, protocol))
        | draws
        | {
            "passes_per_image": outcome.passes_per_image,
            "no_gradient": int(outcome.no_gradient.sum()) / len(outcome),
            "seconds": outcome.seconds,
            "clean_seconds": outcome.clean_seconds,
        }
    )


def read_outcomes(store: Store, artifact: str) -> dict[str, Tensor]:
    """Return the numbers of each image."""
    found = read_of_training(store, artifact)
    if found.kind != KIND:
        raise BadInput(f"artifact {artifact[:12]} is of kind {found.kind}, and not what came of an attack.")
    return found.tensors


def majority_warning(answers: Sequence[Json]) -> dict[str, str]:
    """Return what must be said where images are counted, if the model answers at random."""
    draws = max(answer.get("draws", 0) for answer in answers)
    return {"draws": majority_sentence(draws)} if draws else {}


def judged_within(outcome: Mapping[str, Tensor], norm: Norm, eps: float) -> dict[str, Tensor]:
    """Return the numbers of each image as if changes that are larger than a ball had not been made."""
    near = outcome["success"] & (outcome[norm.lower()] <= eps)
    right = outcome["clean_right"]
    back = outcome["success"] & ~near
    clean = (
        {"right_share": torch.where(back, outcome["clean_share"], outcome["right_share"])}
        if "right_share" in outcome
        else {}
    )
    return {
        **outcome,
        **clean,
        "predictions": torch.where(back, outcome["clean_predictions"], outcome["predictions"]),
        "fooled": outcome["fooled"] & ~back,
        "success": near,
        "robust": right & ~near,
        **{size: torch.where(back, torch.zeros_like(outcome[size]), outcome[size]) for size in ("linf", "l2", "l1")},
    }
