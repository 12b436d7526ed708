"""The nearest change within a ball and a box: one that has both at once is no smaller than it must be.

Cutting to the ball and then to the box, as attacks usually do, also ends inside both, but leaves room unused wherever
pixels are near black or white.
"""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.base.norms import Norm, sizes


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

    In the order in which values meet the box while the factor grows, the squares of the first k are those of their
    room, and of the others those of the scaled changes.
    """
    meets, order = (room / changes).nan_to_num(nan=float("inf"), posinf=float("inf")).sort(dim=1)
    stopped = room.gather(1, order).square().cumsum(1)
    squares = changes.gather(1, order).square()
    moving = squares.flip(1).cumsum(1).flip(1)  # from k on
    before = stopped - room.gather(1, order).square()  # stopped before k
    whole = before + meets.square() * moving  # the square of the norm when the k-th meets the box
    k = (whole < eps**2).sum(1, keepdim=True).clamp(max=changes.shape[1] - 1)
    left = (eps**2 - before.gather(1, k)).clamp(min=0)
    factor = (left / moving.gather(1, k)).sqrt()
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
