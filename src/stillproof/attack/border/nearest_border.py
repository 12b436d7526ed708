"""Which border is nearest, if the network were linear at a point."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import ORDERS, Norm

VALUES = 2**26  # of gradients that are held at once: of hundreds of classes they would take gigabytes
DUAL: dict[Norm, float] = {"Linf": ORDERS["L1"], "L2": ORDERS["L2"], "L1": ORDERS["Linf"]}


def nearest_border(crafting: Crafting, points: Tensor, norm: Norm) -> tuple[Tensor, Tensor]:
    """Return the slopes, (N, D), and heights, (N,), of the difference of logits that is zero at the nearest border.

    That is the border to the class that images are aimed at, if they are, else that to any other class.
    """
    if crafting.targets is not None:
        gradient, logits = crafting.ask(points, _lead)
        return gradient.flatten(1), _lead(logits, crafting.labels, crafting.targets)
    assert crafting.clean_logits is not None
    count = crafting.clean_logits.shape[1]
    at_once = max(1, VALUES // (count * points[0].numel()))
    parts = torch.split(torch.arange(len(points), device=points.device), at_once)
    if len(parts) == 1:
        return _of_all(crafting, points, norm, count)
    found = []
    for part in parts:
        kept = torch.zeros(len(points), dtype=torch.bool, device=points.device)
        kept[part] = True
        found.append(_of_all(crafting.only(kept), points[part], norm, count))
    slopes, heights = zip(*found, strict=True)
    return torch.cat(slopes), torch.cat(heights)


def _of_all(crafting: Crafting, points: Tensor, norm: Norm, count: int) -> tuple[Tensor, Tensor]:
    """Return slopes and heights of the nearest of all borders, from the gradients of all logits."""
    classes = torch.arange(count, device=points.device).expand(len(points), -1)
    gradients, logits = crafting.jacobian(points, classes)
    rows, own = torch.arange(len(points), device=points.device), crafting.labels
    slopes = gradients.flatten(2) - gradients[rows, own].flatten(1).unsqueeze(1)
    heights = logits - logits.gather(1, own.unsqueeze(1))
    steepness = torch.linalg.vector_norm(slopes, DUAL[norm], dim=2)
    ways = (heights.abs() / steepness.clamp(min=1e-12)).scatter(1, own.unsqueeze(1), float("inf"))
    nearest = ways.argmin(1)
    return slopes[rows, nearest], heights[rows, nearest]


def _lead(logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Return by how much the target is above the true class."""
    assert targets is not None
    return (logits.gather(1, targets.unsqueeze(1)) - logits.gather(1, labels.unsqueeze(1))).squeeze(1)
