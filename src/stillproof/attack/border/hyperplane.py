"""The shortest way from a point to a hyperplane within the range of pixels (arXiv:1907.02044, section 2.2)."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm

ROUNDS = 64  # of a search that ends after a few, as soon as no other value meets the end of its range


def way_to_hyperplane(slopes: Tensor, height: Tensor, down: Tensor, up: Tensor, norm: Norm) -> Tensor:
    """Return how far to move each value, (N, D); as far as the range allows, where the hyperplane lies outside it.

    Args:
        slopes: Gradient of a linear function, (N, D).
        height: Its value at the point, (N,), which shall become zero.
        down: How far each value may fall, (N, D), not negative.
        up: How far it may rise, (N, D), not negative.
        norm: What the way is short in.
    """
    against = -(slopes * height.sign().unsqueeze(1)).sign()  # the direction in which each value helps
    scale = slopes.abs().amax(1).clamp(min=1e-30)  # the same hyperplane, without numbers too large to square
    steep, need = slopes.abs() / scale.unsqueeze(1), height.abs() / scale
    room = torch.where(against > 0, up, down).masked_fill(steep == 0, 0.0)
    if norm == "L1":
        return against * _one_after_the_other(steep, need, room)
    speed = torch.ones_like(steep) if norm == "Linf" else steep
    return against * _all_at_once(steep, need, room, speed)


def _all_at_once(steep: Tensor, need: Tensor, room: Tensor, speed: Tensor) -> Tensor:
    """Move all values for the same time, each at its speed, until the sum of their shares is enough.

    Newton's method: the sum is a concave function of time, in pieces of straight lines. From the left it comes no
    later than is right, and gets there as soon as it is on the right piece.
    """
    ends = (room / speed).nan_to_num(nan=0.0, posinf=0.0)  # what has no speed helps nothing
    rates, whole = steep * speed, steep * room
    time = torch.zeros_like(need)
    for _ in range(ROUNDS):
        moving = ends > time.unsqueeze(1)
        rate = (rates * moving).sum(1)
        left = need - torch.where(moving, 0.0, whole).sum(1)
        later = torch.where(rate > 0, left / rate, time)
        if not bool((later > time).any()):
            break
        time = torch.maximum(time, later)
    return torch.minimum(time.unsqueeze(1) * speed, room)


def _one_after_the_other(steep: Tensor, need: Tensor, room: Tensor) -> Tensor:
    """Move the steepest value as far as it goes, then the next, until the sum of their shares is enough."""
    steepest, order = steep.sort(dim=1, descending=True)
    free = room.gather(1, order)
    whole = steepest * free
    before = whole.cumsum(1) - whole
    ways = ((need.unsqueeze(1) - before) / steepest).nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
    return torch.zeros_like(steep).scatter(1, order, torch.minimum(ways.clamp(min=0), free))
