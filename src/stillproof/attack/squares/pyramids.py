"""Two pyramids side by side, one up and one down: what Square adds to an image in L2 (arXiv:1912.00049)."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.squares.windows import Windows, signs, windows

SMALL = 1e-12  # what keeps a division finite
TILES = 5  # along each side, at the start


def pyramids(side: int) -> Tensor:
    """Return both, (side, side), of size 1 in L2: the upper half up, the lower half down."""
    found = torch.cat([_pyramid(side // 2, side), -_pyramid(side - side // 2, side)])
    return found / found.square().sum().sqrt()


def _pyramid(height: int, width: int) -> Tensor:
    """Return rectangles of size 1, 1/4, 1/9 ... on each other, each wider than the one on it, of size 1 together."""
    steps = max(height, width) // 2 + 1
    heights = (1 / torch.arange(1, steps + 1) ** 2).flip(0).cumsum(0).flip(0)
    ring = torch.maximum(
        (torch.arange(height) - height // 2).abs().unsqueeze(1), (torch.arange(width) - width // 2).abs()
    )
    found = heights[ring]
    return found / found.square().sum().sqrt().clamp(min=SMALL)


def tiled(like: Tensor, draws: Tensor) -> Tensor:
    """Return changes of size 1 that fill images with pyramids, of random sign and lying either way.

    Args:
        like: Images, (N, C, H, W).
        draws: From [0, 1), (N, C + 1, H, W); one for each tile is used.
    """
    height, width = like.shape[2:]
    side = max(1, min(height, width) // TILES)
    rows, columns = (_tile_of(length, side) for length in (height, width))
    pattern = pyramids(side).to(like)
    up, across = (one[rows[1]][:, columns[1]] for one in (pattern, pattern.T))
    chosen = draws[:, :, rows[0]][:, :, :, columns[0]].to(like)
    change = torch.where(chosen[:, :1] < 0.5, up, across) * signs(chosen[:, 1:]).to(like)
    return change / _size(change, (1, 2, 3))


def _tile_of(length: int, side: int) -> tuple[Tensor, Tensor]:
    """Return for each of so many pixels the number of its tile, and its place there; at the end tiles are cut off."""
    at = torch.arange(length)
    return at // side, at % side


def moved_mass(change: Tensor, draws: Tensor, side: int, eps: float) -> Tensor:
    """Return other changes of size eps, whose mass in one window goes, in the form of pyramids, to another.

    Args:
        change: Changes so far, (N, C, H, W).
        draws: From [0, 1), (N, 5 + C): places of both windows, how the pyramids lie, and their sign in each channel.
        side: Side of the windows.
        eps: Radius of the ball.
    """
    channels, height, width = change.shape[1:]
    to, away = (windows(draws[:, place : place + 2], side, height, width) for place in (0, 2))
    new = _placed(pyramids(side).to(change), to, draws[:, 4]) * signs(draws[:, 5:, None, None]).to(change)
    old = change * to.inside
    new = new + old / (_size(old) + SMALL)
    mass = _size(change * (to.inside | away.inside)).square()
    unused = (eps**2 - _size(change, (1, 2, 3)).square()).clamp(min=0)
    new = new / (_size(new) + SMALL) * (unused / channels + mass).sqrt()
    moved = torch.where(to.inside, new, change.masked_fill(away.inside, 0.0))
    size = _size(moved, (1, 2, 3))  # none is left where all that there was is taken away, in very small images
    return torch.where(size > 0, moved * (eps / (size + SMALL)), change)


def _placed(pattern: Tensor, to: Windows, lies: Tensor) -> Tensor:
    """Return a pattern in each image's window, upright or lying, (N, 1, H, W)."""
    last = len(pattern) - 1
    rows, columns = to.rows.clamp(0, last).unsqueeze(2), to.columns.clamp(0, last).unsqueeze(1)
    upright = (lies < 0.5).view(-1, 1, 1)
    return torch.where(upright, pattern[rows, columns], pattern[columns, rows]).unsqueeze(1) * to.inside


def _size(change: Tensor, axes: tuple[int, ...] = (2, 3)) -> Tensor:
    return change.square().sum(axes, keepdim=True).sqrt()
