"""MLP: fully connected layers on the flat image."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.nets.body import Body


@networks.register("mlp", version=1)
@dataclass(frozen=True)
class MLP:
    """Three linear layers with ReLU between them.

    Args:
        width: Units of both hidden layers.
    """

    width: int = 128

    def __post_init__(self) -> None:
        """Refuse sizes that make no network."""
        if self.width < 1:
            raise ValueError(f"width must be at least 1, not {self.width}")

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return MLPBody(self, channels * size * size, num_classes)


class MLPBody(Body):
    """Two hidden layers and the classifier."""

    best_as_it_is = True

    def __init__(self, config: MLP, inputs: int, num_classes: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Flatten(),
            nn.Linear(inputs, config.width),
            nn.ReLU(inplace=True),
            nn.Linear(config.width, config.width),
            nn.ReLU(inplace=True),
        )
        self.classifier = nn.Linear(config.width, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the second hidden layer."""
        hidden: Tensor = self.layers(images)
        return hidden
