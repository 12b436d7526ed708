"""AlexNet as it is used on small images: five convolutions, three pools and one linear layer."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.nets.body import Body
from stillproof.nets.sizes import first_padding, halve

# Width, kernel, and whether a pool follows.
CONVOLUTIONS = ((128, 5, True), (192, 5, True), (256, 3, False), (192, 3, False), (192, 3, True))


@networks.register("alexnet", version=1, paper="arXiv:2006.05929")
@dataclass(frozen=True)
class AlexNet:
    """AlexNet for small images, without hidden linear layers."""

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return AlexNetBody(channels, size, num_classes)


class AlexNetBody(Body):
    """Convolutions that keep the size of the map, and 2x2 max pools."""

    best_as_it_is = True

    def __init__(self, channels: int, size: int, num_classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs, extra = channels, first_padding(0, channels, size)
        for width, kernel, pooled in CONVOLUTIONS:
            layers += [nn.Conv2d(inputs, width, kernel, padding=kernel // 2 + extra), nn.ReLU(inplace=True)]
            size += 2 * extra
            if pooled:
                pool, size = halve(nn.MaxPool2d(2), size)
                layers.append(pool)
            inputs, extra = width, 0
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Linear(inputs * size * size, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the flat maps of the last pool."""
        maps: Tensor = self.layers(images)
        return maps.flatten(1)
