"""Random numbers that belong to images: whoever else is in a batch, an image draws the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.core.seeds import Seeds


@dataclass(frozen=True)
class Streams:
    """The random streams of some images, one per image.

    Args:
        seeds: The streams of the attack.
        indices: Where in the data set each image is, (N,) int64 on the CPU.
        device: Where draws are wanted; they are made on the CPU, so that every device gets the same.
    """

    seeds: Seeds
    indices: Tensor
    device: torch.device

    def uniform(self, shape: Sequence[int], *name: str | int) -> Tensor:
        """Return draws from [0, 1), (N, *shape); the same name always gives the same draws."""
        return self._draw(lambda generator: torch.rand(tuple(shape), generator=generator), name)

    def normal(self, shape: Sequence[int], *name: str | int) -> Tensor:
        """Return draws of the standard normal distribution, (N, *shape)."""
        return self._draw(lambda generator: torch.randn(tuple(shape), generator=generator), name)

    def integers(self, high: int, *name: str | int) -> Tensor:
        """Return one draw from 0 to ``high`` - 1 for each image, (N,) int64."""
        return self._draw(lambda generator: torch.randint(high, (), generator=generator), name)

    def only(self, kept: Tensor) -> Streams:
        """Return the streams of the images that a mask keeps."""
        return Streams(self.seeds, self.indices[kept.cpu()], self.device)

    def child(self, *name: str | int) -> Streams:
        """Return streams of the same images below another name."""
        return Streams(self.seeds.child(*name), self.indices, self.device)

    def _draw(self, draw: Callable[[torch.Generator], Tensor], name: tuple[str | int, ...]) -> Tensor:
        drawn = [draw(self.seeds.child("image", index, *name).torch()) for index in self.indices.tolist()]
        return torch.stack(drawn).to(self.device)
