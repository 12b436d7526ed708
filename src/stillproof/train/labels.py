"""What a network is trained towards: hard and soft labels, as targets of a loss."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.types import Hard, Labels, PerEpoch

Loss = Callable[[Tensor, Tensor], Tensor]


def targets(labels: Labels, loss: str, num_classes: int) -> Tensor:
    """Return what ``loss`` compares logits with: (N,) classes for hard labels under cross-entropy, else (N, classes).

    Under ``kl`` these are logits, since the temperature divides those of both sides. Labels that change from epoch to
    epoch are replayed, so that only their classes are returned here.
    """
    if isinstance(labels, PerEpoch):
        return labels.values
    if isinstance(labels, Hard):
        classes = labels.values
        return classes if loss == "cross-entropy" else from_shares(to_shares(classes, loss, num_classes), loss)
    if labels.kind == "logits":
        return labels.values if loss == "kl" else labels.values.softmax(1)
    if labels.kind == "centred" and loss != "mse":
        return from_shares(labels.values + 1 / num_classes, loss)
    return from_shares(labels.values, loss)


def classes(labels: Labels) -> Tensor:
    """Return the class of each image, (N,): of a soft label, its largest entry."""
    return labels.values if isinstance(labels, Hard | PerEpoch) else labels.values.argmax(1)


def to_shares(goal: Tensor, loss: str, num_classes: int) -> Tensor:
    """Return targets of ``loss`` as shares of the classes, (N, classes), which may be mixed with others."""
    if goal.ndim == 1:
        return F.one_hot(goal, num_classes).float()
    return goal.softmax(1) if loss == "kl" else goal


def from_shares(shares: Tensor, loss: str) -> Tensor:
    """Return shares of the classes, (N, classes), as targets of ``loss``."""
    # Learned labels may fall below 0, where there is no logarithm.
    return shares.clamp(min=0).log() if loss == "kl" else shares


def loss_function(name: str, temperature: float = 1.0) -> Loss:
    """Return the loss called ``name``; cross-entropy is the soft one where targets are probabilities."""
    if name == "kl":
        return lambda logits, goal: _divergence(logits / temperature, goal / temperature)
    return torch.nn.functional.cross_entropy if name == "cross-entropy" else F.mse_loss


def _divergence(logits: Tensor, goal: Tensor) -> Tensor:
    """Return KL(softmax(goal) || softmax(logits)), the mean over images; not scaled by the squared temperature."""
    return F.kl_div(logits.log_softmax(1), goal.softmax(1), reduction="batchmean")
