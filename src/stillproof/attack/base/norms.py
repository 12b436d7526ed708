"""The norms that perturbations are measured in, image by image."""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor

Norm = Literal["Linf", "L2", "L1"]

ORDERS: dict[Norm, float] = {"Linf": float("inf"), "L2": 2.0, "L1": 1.0}


def sizes(changes: Tensor, norm: Norm) -> Tensor:
    """Return the norm of each image's change, (N,)."""
    found: Tensor = torch.linalg.vector_norm(changes.flatten(1), ORDERS[norm], dim=1)
    return found


def largest(norm: Norm, values: int) -> float:
    """Return the norm of the largest change that pixels in [0, 1] allow, for images of so many values."""
    return {"Linf": 1.0, "L2": math.sqrt(values), "L1": float(values)}[norm]


def by_image(numbers: Tensor, like: Tensor) -> Tensor:
    """Return one number per image, (N,), in a shape that meets images, (N, 1, 1, 1)."""
    return numbers.view(-1, *[1] * (like.ndim - 1))
