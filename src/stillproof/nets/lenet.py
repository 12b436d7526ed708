"""LeNet: two 5x5 convolutions and three linear layers."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.nets.body import Body
from stillproof.nets.sizes import first_padding, halve

KERNEL = 5
WIDTHS = (6, 16)


@networks.register("lenet", version=1, paper="doi:10.1109/5.726791")
@dataclass(frozen=True)
class LeNet:
    """LeNet-5 with ReLU and max pooling."""

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return LeNetBody(channels, size, num_classes)


class LeNetBody(Body):
    """Convolutions without padding, except where the map is smaller than the kernel: there they keep its size."""

    best_as_it_is = True

    def __init__(self, channels: int, size: int, num_classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs, padding = channels, first_padding(0, channels, size)
        for width in WIDTHS:
            padding = padding if size + 2 * padding >= KERNEL else KERNEL // 2
            layers += [nn.Conv2d(inputs, width, KERNEL, padding=padding), nn.ReLU(inplace=True)]
            pool, size = halve(nn.MaxPool2d(2), size + 2 * padding - KERNEL + 1)
            layers.append(pool)
            inputs, padding = width, 0
        self.layers = nn.Sequential(*layers)
        self.hidden = nn.Sequential(
            nn.Linear(inputs * size * size, 120), nn.ReLU(inplace=True), nn.Linear(120, 84), nn.ReLU(inplace=True)
        )
        self.classifier = nn.Linear(84, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the second hidden linear layer."""
        maps: Tensor = self.layers(images)
        hidden: Tensor = self.hidden(maps.flatten(1))
        return hidden
