"""VGG-11 as it is used on small images: eight convolutions, five pools and one linear layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.nets.body import Body
from stillproof.nets.norms import make_norm
from stillproof.nets.sizes import first_padding, halve

# Widths of the convolutions of each stage; every stage ends in a pool.
STAGES = ((64,), (128,), (256, 256), (512, 512), (512, 512))


@networks.register(
    "vgg",
    version=1,
    paper="arXiv:1409.1556",
    names={"vgg-11": {"norm": "instance"}, "vgg-11-bn": {"norm": "batch"}},
)
@dataclass(frozen=True)
class VGG:
    """VGG-11 for small images, with a norm after every convolution and without hidden linear layers.

    Args:
        norm: Normalisation after every convolution.
    """

    norm: Literal["instance", "batch"] = "instance"

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return VGGBody(self, channels, size, num_classes)


class VGGBody(Body):
    """Stages of 3x3 convolution, norm and ReLU, each with a 2x2 max pool at its end."""

    def __init__(self, config: VGG, channels: int, size: int, num_classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs, padding = channels, first_padding(1, channels, size)
        for widths in STAGES:
            for width in widths:
                size += 2 * (padding - 1)
                layers.append(nn.Conv2d(inputs, width, kernel_size=3, padding=padding))
                layers += [make_norm(config.norm, width, size), nn.ReLU(inplace=True)]
                inputs, padding = width, 1
            pool, size = halve(nn.MaxPool2d(2), size)
            layers.append(pool)
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Linear(inputs * size * size, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the flat maps of the last pool."""
        maps: Tensor = self.layers(images)
        return maps.flatten(1)
