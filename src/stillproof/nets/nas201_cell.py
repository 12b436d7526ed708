"""The parts of a NAS-Bench-201 network: the searched cell, and the residual block that halves the maps."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.nets.nas201_code import EDGES, NODES, OPERATIONS


class Zero(nn.Module):
    """An edge that carries nothing; it stays in the graph, so that every weight has a gradient, if only zero."""

    def forward(self, maps: Tensor) -> Tensor:
        """Return zeros."""
        return maps * 0


class AveragePool(nn.Module):
    """The mean of 3x3 pixels, at the border of those that are inside.

    Written as a convolution of each channel: on a CPU that takes a fifth of the time of torch's pool, which costs as
    much as a convolution with weights.
    """

    def forward(self, maps: Tensor) -> Tensor:
        """Return maps of the same size."""
        channels, *size = maps.shape[1:]
        kernel = maps.new_ones(channels, 1, 3, 3)
        pixels = F.conv2d(maps.new_ones(1, 1, *size), kernel[:1], padding=1)
        return F.conv2d(maps, kernel, padding=1, groups=channels) / pixels


class Mixture(nn.Module):
    """All operations of an edge at once, weighted by the softmax of the one-hot choice.

    The original's one-hot is only as wide as the largest operation of the whole cell: with all five known, the chosen
    one weighs 0.405 and each other 0.149; operations behind the largest have weights, but are never used.
    """

    def __init__(self, chosen: int, known: int, width: int, affine: bool) -> None:
        super().__init__()
        self.shares = F.one_hot(torch.tensor(chosen), known).float().softmax(0).tolist()
        self.operations = nn.ModuleList(_operation(name, width, affine) for name in OPERATIONS)

    def forward(self, maps: Tensor) -> Tensor:
        """Return the weighted sum."""
        total = maps * 0
        for share, operation in zip(self.shares, self.operations, strict=False):
            total = total + share * operation(maps)
        return total


class Cell(nn.Module):
    """Four nodes, each the sum of what its edges bring from all nodes before it.

    Args:
        operations: One per edge, in the order of ``EDGES``.
        width: Channels.
        affine: Whether the batch norms have weights.
        mixture: Whether every edge has all operations, weighted by which one it is.
    """

    def __init__(self, operations: tuple[str, ...], width: int, affine: bool, mixture: bool = False) -> None:
        super().__init__()
        if mixture:
            known = 1 + max(OPERATIONS.index(name) for name in operations)
            self.edges = nn.ModuleList(Mixture(OPERATIONS.index(name), known, width, affine) for name in operations)
        else:
            self.edges = nn.ModuleList(_operation(name, width, affine) for name in operations)

    def forward(self, maps: Tensor) -> Tensor:
        """Return the last node."""
        nodes: list[Tensor | None] = [maps] + [None] * (NODES - 1)
        for (source, node), edge in zip(EDGES, self.edges, strict=True):
            brought, so_far = edge(nodes[source]), nodes[node]
            nodes[node] = brought if so_far is None else so_far + brought
        last = nodes[-1]
        assert last is not None
        return last


class Reduction(nn.Module):
    """Two convolutions, the first with stride 2, beside a pooled and widened shortcut."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.convolutions = nn.Sequential(
            relu_conv_norm(inputs, width, 3, stride=2), relu_conv_norm(width, width, 3, stride=1)
        )
        # Rounded up, as the convolution does: the reference has no odd sizes.
        pool = nn.AvgPool2d(2, ceil_mode=True)
        self.shortcut = nn.Sequential(pool, nn.Conv2d(inputs, width, kernel_size=1, bias=False))

    def forward(self, maps: Tensor) -> Tensor:
        """Return maps of half the size."""
        halved: Tensor = self.shortcut(maps) + self.convolutions(maps)
        return halved


def relu_conv_norm(inputs: int, width: int, kernel: int, stride: int, affine: bool = True) -> nn.Sequential:
    """Return ReLU, convolution and batch norm; the ReLU keeps its input, which other edges read as well."""
    convolution = nn.Conv2d(inputs, width, kernel, stride=stride, padding=kernel // 2, bias=False)
    return nn.Sequential(nn.ReLU(), convolution, nn.BatchNorm2d(width, affine=affine))


def _operation(name: str, width: int, affine: bool) -> nn.Module:
    if name == "none":
        return Zero()
    if name == "skip_connect":
        return nn.Identity()
    if name == "avg_pool_3x3":
        return AveragePool()
    return relu_conv_norm(width, width, {"nor_conv_1x1": 1, "nor_conv_3x3": 3}[name], stride=1, affine=affine)
