"""What a network is trained towards: hard and stored soft labels, as targets of a loss."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.types import Hard, Labels

Loss = Callable[[Tensor, Tensor], Tensor]


def targets(labels: Labels, loss: str, num_classes: int) -> Tensor:
    """Return (N,) classes for hard labels under cross-entropy, else (N, classes) values."""
    if isinstance(labels, Hard):
        return labels.values if loss == "cross-entropy" else F.one_hot(labels.values, num_classes).float()
    if labels.kind == "logits":
        return labels.values.softmax(1)
    if labels.kind == "centred" and loss == "cross-entropy":
        return labels.values + 1 / num_classes
    return labels.values


def classes(labels: Labels) -> Tensor:
    """Return the class of each image, (N,): of a soft label, its largest entry."""
    return labels.values if isinstance(labels, Hard) else labels.values.argmax(1)


def loss_function(name: str) -> Loss:
    """Return the loss called ``name``; cross-entropy is the soft one where targets are probabilities."""
    return torch.nn.functional.cross_entropy if name == "cross-entropy" else F.mse_loss
