"""What came of an attack, image by image."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Outcome:
    """One number of each kind per image, all on the CPU.

    Args:
        labels: True classes.
        targets: Classes that images should be taken for; None if untargeted.
        clean_predictions: What the model says of the clean images.
        predictions: What it says of the changed ones.
        fooled: Whether it errs as wanted: says anything wrong, or the target.
        forwards: Forward passes, that of the clean image among them.
        backwards: Backward passes.
        first_success: Passes of both kinds up to the one that showed the first success; -1 if there was none.
        linf: Size of the change in the Linf norm.
        l2: The same in L2.
        l1: The same in L1.
        no_gradient: Whether a gradient was zero everywhere, or no number.
        seconds: Time of the whole batch, from the clean predictions on, without them.
        clean_seconds: Time of the clean predictions.
        images: The changed images, (N, C, H, W), if they were wanted.
        draws: How often a model that answers at random was asked of each image; predictions are then those of the
            majority. None for any other model.
        clean_share: The share of these draws in which it has the clean image right.
        right_share: The same of the changed image.
    """

    labels: Tensor
    targets: Tensor | None
    clean_predictions: Tensor
    predictions: Tensor
    fooled: Tensor
    forwards: Tensor
    backwards: Tensor
    first_success: Tensor
    linf: Tensor
    l2: Tensor
    l1: Tensor
    no_gradient: Tensor
    seconds: float
    clean_seconds: float
    images: Tensor | None = None
    draws: Tensor | None = None
    clean_share: Tensor | None = None
    right_share: Tensor | None = None

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.labels)

    @property
    def clean_right(self) -> Tensor:
        """Say which images were right before the attack."""
        return self.clean_predictions == self.labels

    @property
    def success(self) -> Tensor:
        """Say which images the attack turned: right before it, and fooled after."""
        return self.clean_right & self.fooled

    @property
    def robust(self) -> Tensor:
        """Say which images were right before and after it."""
        return self.clean_right & (self.predictions == self.labels)

    @property
    def clean_accuracy(self) -> float:
        """Return the share of images that were right before."""
        return _mean(self.clean_right if self.clean_share is None else self.clean_share)

    @property
    def robust_accuracy(self) -> float:
        """Return the share of all images that were right before and after; at random, of all draws after."""
        return _mean(self.robust if self.right_share is None else self.right_share)

    @property
    def passes_per_image(self) -> float:
        """Return the mean number of passes, forward and backward."""
        return (self.forwards + self.backwards).double().mean().item()

    @classmethod
    def joined(cls, parts: Sequence[Outcome]) -> Outcome:
        """Return the outcome of all batches together."""
        values: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            found = [getattr(part, field.name) for part in parts]
            if any(value is None for value in found):
                values[field.name] = None
            else:
                values[field.name] = torch.cat(found) if isinstance(found[0], Tensor) else sum(found)
        return cls(**values)


def _mean(values: Tensor) -> float:
    return values.float().mean().item()
