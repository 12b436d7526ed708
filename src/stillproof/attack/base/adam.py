"""Adam for attacks, whose gradients are there already: torch's own loads its compiler first, a matter of seconds."""

from __future__ import annotations

import torch
from torch import Tensor

MEAN, SQUARE, SMALL = 0.9, 0.999, 1e-8  # the usual decays of both means, and what keeps a division finite


class Adam:
    """Remembers the means of gradients, and says how far to go down."""

    def __init__(self, values: Tensor, lr: float) -> None:
        """Begin with nothing, for values of this shape."""
        self.lr, self.made = lr, 0
        self.mean, self.square = torch.zeros_like(values), torch.zeros_like(values)

    def step(self, gradient: Tensor) -> Tensor:
        """Return what to take off the values."""
        self.made += 1
        self.mean = MEAN * self.mean + (1 - MEAN) * gradient
        self.square = SQUARE * self.square + (1 - SQUARE) * gradient.square()
        spread = (self.square / (1 - SQUARE**self.made)).sqrt() + SMALL
        return self.lr * self.mean / (1 - MEAN**self.made) / spread

    def only(self, kept: Tensor) -> Adam:
        """Return what is remembered of the rows that a mask keeps."""
        other = Adam(self.mean[kept], self.lr)
        other.made, other.mean, other.square = self.made, self.mean[kept], self.square[kept]
        return other
