"""Random numbers for the images of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Draws:
    """Random numbers for ``count`` images: every image has its own, or all of them share one draw.

    What is drawn stays where the generator is; whoever uses it moves it to the images.
    """

    count: int
    generator: torch.Generator
    shared: bool = False

    def uniform(self, *shape: int) -> Tensor:
        """Return (count, *shape) numbers in [0, 1)."""
        return self._spread(torch.rand(self._drawn, *shape, generator=self.generator, device=self.generator.device))

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """Return (count, *shape) whole numbers from ``low`` to ``high - 1``."""
        size = (self._drawn, *shape)
        return self._spread(torch.randint(low, high, size, generator=self.generator, device=self.generator.device))

    def orders(self, length: int) -> Tensor:
        """Return (count, length): one order of 0 to ``length - 1`` per image."""
        return self.uniform(length).argsort(1)

    def beta(self, alpha: float) -> Tensor:
        """Return (count,) numbers of the distribution Beta(alpha, alpha)."""
        # torch draws these from its global generator alone.
        seed = torch.randint(2**63 - 1, (), generator=self.generator, device=self.generator.device)
        drawn = np.random.default_rng(int(seed)).beta(alpha, alpha, self._drawn)
        return self._spread(torch.from_numpy(drawn).float().to(self.generator.device))

    def permutation(self) -> Tensor:
        """Return (count,): the positions of the images in another order."""
        return torch.randperm(self.count, generator=self.generator, device=self.generator.device)

    @property
    def _drawn(self) -> int:
        return 1 if self.shared else self.count

    def _spread(self, drawn: Tensor) -> Tensor:
        return drawn.expand(self.count, *drawn.shape[1:])
