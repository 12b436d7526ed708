"""What an attack sees by the way that makes its numbers doubtful: one sentence each, kept with what came of it."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.victim import WARNINGS
from stillproof.core.spec import Json

PROBABILITIES, FLAT = "probabilities", "flat"  # what the sentences are kept under
ROUNDING = 1e-3  # by which the sum of probabilities, of half precision perhaps, may differ from 1
SPARED = 0.01  # share of the images whose gradient may be zero; one image never counts


def note_probabilities(notes: Json, answers: Tensor) -> None:
    """Note that a model gives probabilities: all of its answers, (N, classes), lie in [0, 1] and add up to 1."""
    if bool(((answers >= 0).all(1) & ((answers.sum(1) - 1).abs() <= ROUNDING)).all()):
        _warn(
            notes,
            PROBABILITIES,
            "attacks are weaker than they should be: the model seems to return probabilities, which are taken for "
            "logits; pass it without its softmax.",
        )


def note_flat(notes: Json, outcome: Outcome) -> None:
    """Note that gradients led nowhere, if that may be why images withstand."""
    stuck = outcome.no_gradient & outcome.clean_right & ~outcome.success
    note_zero_gradients(notes, int(stuck.sum()), int(outcome.clean_right.sum()))


def note_zero_gradients(notes: Json, found: int, right: int) -> None:
    """Note that gradients are zero for so many of the images that are right, and that these withstand."""
    if found > max(1, SPARED * right):
        _warn(
            notes,
            FLAT,
            "this is not robustness: images withstand because their gradient is zero or not finite "
            f"({found} of {right} that are right before); try square, which uses none, and the check for masking.",
        )


def zero_gradients(gradients: Tensor) -> Tensor:
    """Say which images have a gradient, (N, C, H, W), that is zero or no number everywhere."""
    return ~((gradients != 0) & torch.isfinite(gradients)).flatten(1).any(1)


def _warn(notes: Json, what: str, said: str) -> None:
    notes.setdefault(WARNINGS, {})[what] = said
