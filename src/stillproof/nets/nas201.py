"""NAS-Bench-201: 15,625 networks that differ in the six operations of one repeated cell."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.nets.body import Body
from stillproof.nets.nas201_cell import Cell, Reduction
from stillproof.nets.nas201_code import arch_text, operations_of

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
            layers += [Cell(operations, width, config.affine, config.mixture) for _ in range(config.cells)]
        self.layers = nn.Sequential(*layers, nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        self.classifier = nn.Linear(width, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the global average of the last maps."""
        maps: Tensor = self.layers(images)
        return maps.mean((2, 3))
