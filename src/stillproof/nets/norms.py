"""Normalisation layers by name."""

from __future__ import annotations

from typing import Literal

from torch import nn

GROUPS = 4  # of group norm

Norm = Literal["instance", "batch", "layer", "group", "none"]


def make_norm(kind: Norm, channels: int, size: int) -> nn.Module:
    """Return the layer that normalises maps of (channels, size, size).

    Instance norm is a group norm with one group per channel, as in the reference networks. Where a group holds a single
    value, its output would not depend on the input, and a network after it would be constant: the norm is left out.
    """
    if kind == "batch":
        return nn.BatchNorm2d(channels)
    if kind == "layer":
        return nn.LayerNorm([channels, size, size])
    groups = channels if kind == "instance" else GROUPS
    if kind == "none" or channels * size * size == groups:
        return nn.Identity()
    return nn.GroupNorm(groups, channels)
