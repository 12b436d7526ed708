"""Labels as other people store them: classes, whole numbers as floats, or one row of numbers per image."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import Hard, Labels, Stored


def read_labels(values: Tensor, name: str) -> tuple[Labels, str]:
    """Return labels and what they were taken for; ``name`` is what messages call the file."""
    if values.ndim == 2 and (values.is_floating_point() or _is_one_hot(values)):
        return _soft(values.float())
    if values.ndim != 1:
        raise BadInput(
            f"{name} has labels {tuple(values.shape)}: one class, or one row of numbers, per image is needed."
        )
    if not values.is_floating_point():
        return Hard(values.long()), "labels are classes"
    if not bool(torch.isfinite(values).all()) or not torch.equal(values, values.round()):
        raise BadInput(f"{name} has labels that are not whole numbers, such as {float(values[0])}.")
    return Hard(values.long()), f"labels are classes, stored as {str(values.dtype).removeprefix('torch.')}"


def plain_classes(labels: Labels) -> Labels:
    """Return one-hot labels as the classes that they are, so that both are the same set; others as they came."""
    return Hard(labels.classes) if isinstance(labels, Stored) and _is_one_hot(labels.values) else labels


def _is_one_hot(values: Tensor) -> bool:
    """Say whether every row has a single 1, and zeros besides."""
    return bool(((values == 0) | (values == 1)).all()) and bool((values.sum(1) == 1).all())


def _soft(values: Tensor) -> tuple[Labels, str]:
    """Tell probabilities (from 0 to 1), centred labels (rows add up to 0) and logits apart."""
    if _is_one_hot(values):
        return Stored("probs", values), "labels are one-hot, so they are classes"
    # Rows that do not add up to 1 are refused later: as logits they would say nearly nothing.
    if bool(((values >= 0) & (values <= 1)).all()):
        return Stored("probs", values), "labels are probabilities: every entry lies between 0 and 1"
    one_hot = torch.nn.functional.one_hot(values.argmax(1), values.shape[1]).float()
    if torch.allclose(values, one_hot - 1 / values.shape[1], atol=1e-3):
        return Stored("centred", values), "labels are one-hot minus 1 / classes"
    return Stored("logits", values), "labels are logits: their rows are not probabilities"
