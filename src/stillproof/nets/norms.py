"""Normalisation layers by name."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

GROUPS = 4  # of group norm

Norm = Literal["instance", "batch", "layer", "group", "none"]


def make_norm(kind: Norm, channels: int, size: int) -> nn.Module:
    """Return the layer that normalises maps of (channels, size, size).

    Instance norm is a group norm with one group a channel, as in the reference networks. Where a group holds a single
    value, its output would not depend on the input, and a network behind it would be constant: the norm is left out.
    """
    if kind == "batch":
        return nn.BatchNorm2d(channels)
    if kind == "layer":
        return nn.LayerNorm([channels, size, size])
    groups = channels if kind == "instance" else GROUPS
    if kind == "none" or channels * size * size == groups:
        return nn.Identity()
    return InstanceNorm(groups, channels) if kind == "instance" else nn.GroupNorm(groups, channels)


class InstanceNorm(nn.GroupNorm):
    """Group norm with one group a channel, spelled out where it is compiled: the fused one has no compiled jvp."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised maps."""
        if not torch.compiler.is_compiling():
            return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)
        centred = input - input.mean((2, 3), keepdim=True)
        scale = torch.rsqrt(centred.square().mean((2, 3), keepdim=True) + self.eps)
        return centred * scale * self.weight[:, None, None] + self.bias[:, None, None]
