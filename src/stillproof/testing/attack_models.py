"""Models that attacks are checked on: one that counts what it is asked, and some whose gradients are broken."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from stillproof.core.types import Space
from stillproof.testing.toy import TOY
from stillproof.transforms.space import make_front


class Counted(nn.Module):
    """A model that counts the images which go through it, forward and backward, one by one."""

    def __init__(self, body: nn.Module) -> None:
        super().__init__()
        self.front, self.body = make_front(Space.normalised(TOY)), body
        self.forwards = self.backwards = 0
        self.states: list[Tensor] = []  # of torch's global generator, at each pass

    def forward(self, pixels: Tensor) -> Tensor:
        """Return logits."""
        self.forwards += len(pixels)
        self.states.append(torch.get_rng_state())
        if pixels.requires_grad:
            pixels = pixels.view_as(pixels)  # a hook of its own, which ends with this pass
            pixels.register_hook(self._count)  # type: ignore[no-untyped-call]
        logits: Tensor = self.body(self.front(pixels))
        return logits

    def _count(self, gradient: Tensor) -> None:
        self.backwards += len(gradient)


class BrokenGradients(nn.Module):
    """Logits that are right, with gradients that are zero, or no numbers."""

    def __init__(self, *, zero: bool) -> None:
        super().__init__()
        self.zero = zero

    def forward(self, pixels: Tensor) -> Tensor:
        """Return logits from the brightness of three stripes, as the classes of the toy images have them."""
        stripes = torch.stack([part.mean((1, 2, 3)) for part in torch.split(pixels, [3, 3, 2], dim=3)], 1)
        nothing = pixels.flatten(1).sum(1, keepdim=True) * 0
        return stripes.detach() + (nothing if self.zero else nothing.sqrt())
