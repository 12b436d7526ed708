"""What a network is trained towards: hard and soft labels, in the form that an objective wants them in."""

from __future__ import annotations

from typing import Literal

from torch import Tensor
from torch.nn import functional as F

from stillproof.core.types import Hard, Stored

# classes: (N,) int64, and shares where an image belongs to several classes; shares: (N, classes) that sum to 1;
# values: shares, but learned labels as their method left them; logits: (N, classes), whose softmax are shares; answers:
# a network's logits as they are, to be met in value, and values where no network gave them.
Form = Literal["classes", "shares", "values", "logits", "answers"]
LOGITS: tuple[Form, ...] = ("logits", "answers")  # what a network's answers are in as they are


def in_form(labels: Hard | Stored, form: Form, num_classes: int) -> Tensor:
    """Return the labels of all images in ``form``."""
    if isinstance(labels, Hard):
        return labels.values if form == "classes" else from_shares(to_shares(labels.values, form, num_classes), form)
    if labels.kind == "logits":
        return from_logits(labels.values, form)
    if labels.kind == "centred" and form not in ("values", "answers"):
        return from_shares(labels.values + 1 / num_classes, form)
    return from_shares(labels.values, form)


def to_shares(targets: Tensor, form: Form, num_classes: int) -> Tensor:
    """Return targets as shares of the classes, (N, classes), which may be mixed with others."""
    if targets.ndim == 1:
        return F.one_hot(targets, num_classes).float()
    return targets.softmax(1) if form == "logits" else targets


def from_shares(shares: Tensor, form: Form) -> Tensor:
    """Return shares of the classes, (N, classes), in ``form``."""
    # Learned labels may fall below 0, where there is no logarithm.
    return shares.clamp(min=0).log() if form == "logits" else shares


def from_logits(logits: Tensor, form: Form) -> Tensor:
    """Return the answers of a network, (N, classes), in ``form``."""
    return logits if form in LOGITS else logits.softmax(1)
