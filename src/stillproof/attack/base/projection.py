"""The nearest change within a ball and a box: one that has both at once is no smaller than it must be.

Cutting to the ball and then to the box, as attacks usually do, also ends inside both, but leaves room unused wherever
pixels are near black or white.
"""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm, sizes

ROUNDS = 64  # of a search that ends after a few, as soon as no other value meets the box


def nearest(changes: Tensor, room: Tensor, norm: Norm, eps: float) -> Tensor:
    """Return how far each value may go.

    Args:
        changes: How far it should go, (N, D), not negative.
        room: How far it may go before it meets the box, (N, D), not negative.
        norm: The norm of the ball, L2 or L1; in Linf each value stands alone.
        eps: The radius of the ball.
    """
    cut = torch.minimum(changes, room)
    outside = sizes(cut, norm) > eps
    if outside.any():
        find = _nearest_l2 if norm == "L2" else _nearest_l1
        found = find(changes[outside], room[outside], eps)
        # Sums over thousands of values are exact only to some digits: what is left over is taken off evenly.
        cut[outside] = found * (eps / sizes(found, norm)).clamp(max=1).unsqueeze(1)
    return cut


def _nearest_l2(changes: Tensor, room: Tensor, eps: float) -> Tensor:
    """All are scaled by one factor, and stop where they meet the box: find the factor.

    It begins with what would be right without a box, and grows by what values that stop leave unused, until no other
    one stops: after a few rounds, which take less time than to sort the values.
    """
    changes = changes / changes.amax(1, keepdim=True)  # without numbers too large to square
    squares, stops = changes.square(), room.square()
    factor = torch.zeros_like(changes[:, :1])
    for _ in range(ROUNDS):
        stopped = factor * changes >= room
        left = (eps**2 - torch.where(stopped, stops, 0.0).sum(1, keepdim=True)).clamp(min=0)
        moving = torch.where(stopped, 0.0, squares).sum(1, keepdim=True)
        larger = torch.where(moving > 0, (left / moving).sqrt(), factor)
        if not bool((larger > factor).any()):
            break
        factor = torch.maximum(factor, larger)
    return torch.minimum(factor * changes, room)


def _nearest_l1(changes: Tensor, room: Tensor, eps: float) -> Tensor:
    """All are made smaller by one amount, and stop at zero and where they meet the box: find the amount.

    The sum falls with the amount, in pieces of straight lines, whose slope changes where a value comes off the box
    and where it is zero.
    """
    off_box = (changes - room).clamp(min=0)
    at, order = torch.cat([off_box, changes], dim=1).sort(dim=1)
    ones = torch.ones_like(changes)
    slope = torch.cat([ones, -ones], dim=1).gather(1, order).cumsum(1)  # values that fall after each place
    gaps = at[:, 1:] - at[:, :-1]
    fallen = torch.nn.functional.pad((slope[:, :-1] * gaps).cumsum(1), (1, 0))
    too_much = torch.minimum(changes, room).sum(1, keepdim=True) - eps  # what has to go
    k = ((fallen < too_much).sum(1, keepdim=True) - 1).clamp(min=0)
    rest = (too_much - fallen.gather(1, k)) / slope.gather(1, k).clamp(min=1)
    amount = at.gather(1, k) + rest
    return torch.minimum((changes - amount).clamp(min=0), room)
