"""Where a network looks: spatial attention maps after its activation layers, beside its embedding."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.errors import Unsupported
from stillproof.nets.body import Body

ACTIVATIONS = (nn.ReLU, nn.LeakyReLU, nn.Sigmoid, nn.SiLU)


class Attention:
    """Describes images by the maps after all activation layers but the last, and by their embedding."""

    def __init__(self, body: Body, example: Tensor, power: int, map_scale: float, embedding_scale: float) -> None:
        """Watch ``body``; ``example``, (1, C, H, W), shows whether it has layers to watch."""
        self.body, self.power = body, power
        self.map_scale, self.embedding_scale = map_scale, embedding_scale
        self._seen: list[Tensor] = []
        for module in body.modules():
            if isinstance(module, ACTIVATIONS):
                module.register_forward_hook(self._keep)
        self._refuse_too_few(example)

    def describe(self, images: Tensor) -> Tensor:
        """Return one vector per image, (N, D): every map, normalised and scaled, and the scaled embedding."""
        seen, embedding = self._look(images)
        # The last layer speaks through the embedding, which is made of it.
        maps = [self.map_scale * attention_map(layer, self.power) for layer in seen[:-1]]
        return torch.cat([*maps, self.embedding_scale * embedding], dim=1)

    def _look(self, images: Tensor) -> tuple[list[Tensor], Tensor]:
        """Return the maps after all activation layers, and the embedding."""
        embedding = self.body.features(images)
        seen = list(self._seen)
        self._seen.clear()  # a body whose hooks hold maps cannot be copied
        return seen, embedding

    def _keep(self, module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        if output.ndim == 4:  # (N, C, h, w): not the flat activations of linear layers
            self._seen.append(output)

    def _refuse_too_few(self, example: Tensor) -> None:
        training = self.body.training
        self.body.eval()  # no dropout, which would draw random numbers, and no statistics of a single image
        with torch.no_grad():
            seen, _ = self._look(example)
        self.body.train(training)
        if len(seen) < 2:
            names = ", ".join(kind.__name__ for kind in ACTIVATIONS)
            raise Unsupported(
                f"attention maps need a network with at least two activation layers ({names}, as modules) that give "
                f"maps, and this one has {len(seen)}: choose another, such as convnet-3-bn."
            )


def attention_map(maps: Tensor, power: int) -> Tensor:
    """Return (N, h w): the sum over channels of |activation|^power, of unit length for each image."""
    return F.normalize(maps.abs().pow(power).sum(1).flatten(1), dim=1)
