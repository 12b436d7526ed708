"""Asks models of others, and says what of their doing would make an attack's answer wrong."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from stillproof.core.errors import BadInput

Asked = Callable[[Tensor], Tensor]

NO_GRADIENT = (
    "the model gives no gradient at its images, which this attack needs: its forward runs under torch.no_grad() or "
    "torch.inference_mode(), or detaches what it is given; leave that out, or attack without gradients (square, spsa)."
)
IN_PLACE = (
    "the model changes the images that it is given in place, so that attacks would work on others: let it work on a "
    "copy (x = x - mean, not x -= mean)."
)


def ask(model: Asked, images: Tensor) -> Tensor:
    """Return what a model says of images, which it must leave alone; what it does by ``.data`` is not seen."""
    version = _version(images)
    try:
        said = model(images)
    except RuntimeError as error:  # the words of autograd for a change of the images themselves
        if "in-place operation" in str(error) and "leaf Variable" in str(error):
            raise BadInput(IN_PLACE) from error
        raise
    if _version(images) != version:
        raise BadInput(IN_PLACE)
    return said


def ask_first(model: Asked, images: Tensor) -> Tensor:
    """Ask for the first time: with a copy, so that the images stay as they are, and every change of them is seen."""
    copy = images.clone()
    said = ask(model, copy)
    before, after = (torch.nan_to_num(values.detach()) for values in (images, copy))
    if not torch.equal(before, after):
        raise BadInput(IN_PLACE)
    return said


def gradient_at(points: Tensor, values: Tensor, *, again: bool = False) -> Tensor:
    """Return the gradient of the sum of values at some points; ``again`` if others of the same graph are to come."""
    if not values.requires_grad:
        raise BadInput(NO_GRADIENT)
    (found,) = torch.autograd.grad(values.sum(), points, retain_graph=again, allow_unused=True)
    if found is None:
        raise BadInput(NO_GRADIENT)
    return found


def _version(images: Tensor) -> int:
    """Return how often a tensor was changed in place; of one of inference mode nobody knows."""
    return 0 if images.is_inference() else images._version
