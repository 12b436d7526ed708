"""Which class a targeted attack wants each image to be taken for."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from stillproof.attack.base.streams import Streams
from stillproof.core.errors import BadInput

Policy = Literal["next", "random", "least-likely"]
POLICIES: tuple[Policy, ...] = ("next", "random", "least-likely")


def targets_for(wanted: Policy | Tensor, labels: Tensor, logits: Tensor, streams: Streams) -> Tensor:
    """Return one class per image, never its own.

    Args:
        wanted: A policy, or the classes themselves.
        labels: The true classes, (N,).
        logits: What the model says of the clean images, (N, classes).
        streams: The images' random streams.
    """
    classes = logits.shape[1]
    if isinstance(wanted, Tensor):
        return _checked(wanted.to(labels), labels, classes, streams)
    if wanted == "next":
        return (labels + 1) % classes
    if wanted == "random":
        return (labels + 1 + streams.integers(classes - 1, "target")) % classes
    if wanted == "least-likely":
        own = torch.nn.functional.one_hot(labels, classes).bool()
        return logits.masked_fill(own, float("inf")).argmin(1)
    raise BadInput(f"unknown target {wanted!r}: give one of {', '.join(POLICIES)}, or a class for each image.")


def _checked(given: Tensor, labels: Tensor, classes: int, streams: Streams) -> Tensor:
    if given.shape != labels.shape:
        raise BadInput(f"targets of shape {tuple(given.shape)} do not fit {len(labels)} images: give one class each.")
    for wrong, why in (
        ((given < 0) | (given >= classes), f"which is not a class of a model with {classes}"),
        (given == labels, "which is its own class"),
    ):
        if wrong.any():
            at = int(wrong.nonzero()[0])
            image = int(streams.indices[at])
            raise BadInput(f"image {image} has target {int(given[at])}, {why}: give another one.")
    return given
