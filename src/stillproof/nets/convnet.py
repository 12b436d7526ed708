"""ConvNet, the usual network of dataset distillation: equal blocks of convolution, norm, activation and pooling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.nets.body import Body
from stillproof.nets.norms import GROUPS, make_norm
from stillproof.nets.sizes import first_padding, halve

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": lambda: nn.ReLU(inplace=True),
    "sigmoid": nn.Sigmoid,
    "leaky-relu": lambda: nn.LeakyReLU(0.01),
    "swish": nn.SiLU,
}
POOLS: dict[str, Callable[[], nn.Module]] = {"avg": lambda: nn.AvgPool2d(2), "max": lambda: nn.MaxPool2d(2)}


@networks.register(
    "convnet",
    version=1,
    paper="arXiv:2006.05929",
    names={
        "convnet-1": {"depth": 1},
        "convnet-2": {"depth": 2},
        "convnet-3": {"depth": 3},
        "convnet-4": {"depth": 4},
        "convnet-5": {"depth": 5},
        "convnet-6": {"depth": 6},
        "convnet-1-bn": {"depth": 1, "norm": "batch"},
        "convnet-2-bn": {"depth": 2, "norm": "batch"},
        "convnet-3-bn": {"depth": 3, "norm": "batch"},
        "convnet-4-bn": {"depth": 4, "norm": "batch"},
        "convnet-5-bn": {"depth": 5, "norm": "batch"},
        "convnet-6-bn": {"depth": 6, "norm": "batch"},
    },
)
@dataclass(frozen=True)
class ConvNet:
    """Blocks of 3x3 convolution, norm, activation and 2x2 pooling, then one linear layer.

    Args:
        depth: Number of blocks.
        width: Channels of every block.
        norm: Normalisation after every convolution.
        activation: Non-linearity after every norm.
        pooling: Pooling at the end of every block.
    """

    depth: int = 3
    width: int = 128
    norm: Literal["instance", "batch", "layer", "group", "none"] = "instance"
    activation: Literal["relu", "sigmoid", "leaky-relu", "swish"] = "relu"
    pooling: Literal["avg", "max", "none"] = "avg"

    def __post_init__(self) -> None:
        """Refuse sizes that make no network."""
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, not {self.depth}")
        if self.width < 1:
            raise ValueError(f"width must be at least 1, not {self.width}")
        if self.norm == "group" and self.width % GROUPS:
            raise ValueError(f"width must be a multiple of {GROUPS} for group norm, not {self.width}")

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return ConvNetBody(self, channels, size, num_classes)


class ConvNetBody(Body):
    """Block k is layers 4k to 4k + 3: convolution, norm, activation, pool (an identity where one is left out)."""

    def __init__(self, config: ConvNet, channels: int, size: int, num_classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs, padding = channels, first_padding(1, channels, size)
        for _ in range(config.depth):
            size += 2 * (padding - 1)
            layers.append(nn.Conv2d(inputs, config.width, kernel_size=3, padding=padding))
            layers.append(make_norm(config.norm, config.width, size))
            layers.append(ACTIVATIONS[config.activation]())
            pool: nn.Module = nn.Identity()
            if config.pooling != "none":
                pool, size = halve(POOLS[config.pooling](), size)
            layers.append(pool)
            inputs, padding = config.width, 1
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Linear(config.width * size * size, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the flat maps of the last block."""
        maps: Tensor = self.layers(images)
        return maps.flatten(1)
