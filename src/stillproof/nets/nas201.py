"""NAS-Bench-201: 15,625 networks that differ in the six operations of one repeated cell."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.components import networks
from stillproof.nets.body import Body
from stillproof.nets.nas201_code import EDGES, NODES, OPERATIONS, arch_text, operations_of

STAGES = 3


@networks.register("nas201", version=1, paper="arXiv:2001.00326")
@dataclass(frozen=True)
class Nas201:
    """Three stages of equal cells with residual reductions between them, a global average pool and one linear layer.

    The published accuracies are of 5 cells per stage; one is enough while searching.

    Args:
        arch: ``|op~0|+|op~0|op~1|+|op~0|op~1|op~2|`` or its six digits; the default is a residual block.
        width: Channels of the first stage; every further stage has twice as many.
        cells: Cells per stage.
        affine: Whether the batch norms inside cells have weights; DC-Bench trained without.
        mixture: Whether every edge is a weighted sum of all operations, in which the architecture's own weighs most.
            DC-Bench's script trains such mixtures (and counts them as the architecture).
    """

    arch: str = "|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|skip_connect~2|"
    width: int = 16
    cells: int = 1
    affine: bool = True
    mixture: bool = False

    def __post_init__(self) -> None:
        """Refuse what makes no network, and keep one spelling of an architecture, so that it is one question."""
        for name in ("width", "cells"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        object.__setattr__(self, "arch", arch_text(self.arch))

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return Nas201Body(self, channels, num_classes)


class Nas201Body(Body):
    """A stem without activation, the stages, and a batch norm with ReLU after them."""

    def __init__(self, config: Nas201, channels: int, num_classes: int) -> None:
        super().__init__()
        width, operations = config.width, operations_of(config.arch)
        layers: list[nn.Module] = [nn.Conv2d(channels, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)]
        for stage in range(STAGES):
            if stage > 0:
                layers.append(Reduction(width, 2 * width))
                width *= 2
            layers += [NasCell(operations, width, config.affine, config.mixture) for _ in range(config.cells)]
        self.layers = nn.Sequential(*layers, nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        self.classifier = nn.Linear(width, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the global average of the last maps."""
        maps: Tensor = self.layers(images)
        return maps.mean((2, 3))


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


class NasCell(nn.Module):
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
