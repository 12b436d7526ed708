"""A network that answers at random: noise is added to every image that it is shown, tested or trained."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from stillproof.plugin import Body, networks


@networks.register("noisy", version=1)
@dataclass(frozen=True)
class Noisy:
    """A small MLP behind noise.

    Args:
        std: Standard deviation of the noise, on normalised pixels.
    """

    std: float = 2.0

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network."""
        return NoisyBody(self.std, channels * size * size, num_classes)


class NoisyBody(Body):
    """Noise, one hidden layer, and the classifier."""

    def __init__(self, std: float, inputs: int, num_classes: int) -> None:
        super().__init__()
        self.std = std
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(inputs, 64), nn.ReLU())
        self.classifier = nn.Linear(64, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the hidden layer."""
        hidden: Tensor = self.layers(images + self.std * torch.randn_like(images))
        return hidden
