"""A model that knows nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BlankModel(nn.Module):
    """A model that knows nothing: what attacks are made with while there is none yet."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.classes, self.nothing = classes, nn.Parameter(torch.zeros(()), requires_grad=False)

    def forward(self, pixels: Tensor) -> Tensor:
        """Return logits that say nothing."""
        return pixels.flatten(1).sum(1, keepdim=True) * torch.zeros(self.classes, device=pixels.device)
