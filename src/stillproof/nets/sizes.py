"""What networks do at other image sizes than those of their papers."""

from __future__ import annotations

from torch import nn


def first_padding(usual: int, channels: int, size: int) -> int:
    """Return the padding of the first layer; one-channel 28 px images get 2 more per side, which makes them 32 px."""
    return usual + 2 if (channels, size) == (1, 28) else usual


def halve(pool: nn.Module, size: int) -> tuple[nn.Module, int]:
    """Return the 2x2 pool and the size after it; a pool that would leave less than one pixel is skipped."""
    return (pool, size // 2) if size >= 2 else (nn.Identity(), size)
