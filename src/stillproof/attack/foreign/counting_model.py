"""The model as other libraries get it: it counts what they ask for the image under attack, and takes any floats."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from stillproof.attack.base.asking import NO_GRADIENT
from stillproof.attack.base.crafting import Crafting
from stillproof.core.errors import BadInput


class CountingModel(nn.Module):
    """A module whose rows are all about one image, the one that it was told of last.

    The model itself is no part of it: a library may call ``train``, ``zero_grad`` or ``to`` as it likes.
    """

    def __init__(self, crafting: Crafting, *, most: float, softmax: bool = False) -> None:
        """Begin with the images under attack.

        Args:
            crafting: Their attack.
            most: Forward passes of one image beyond which an attack is taken to go on for ever.
            softmax: Whether it answers with probabilities.
        """
        super().__init__()
        self.crafting, self.most, self.softmax = crafting, most, softmax
        self.error: Exception | None = None  # that the model raised, and not the library
        self.asked = 0
        # Libraries go by the device of the first parameter.
        self.nothing = nn.Parameter(torch.empty(0, device=crafting.images.device), requires_grad=False)
        self.eval()

    def about(self, one: Crafting) -> None:
        """Take whatever is asked from now on as asked for one image."""
        self.crafting, self.asked, self.error = one, 0, None

    def forward(self, pixels: Tensor) -> Tensor:
        """Return logits, with a graph where the question has one."""
        image = self.crafting.images
        if pixels.shape[1:] != image.shape[1:]:
            raise ValueError(f"it asked for images of shape {tuple(pixels.shape)}, of one of {tuple(image.shape[1:])}")
        self.asked += len(pixels)
        if self.asked > self.most:
            raise RuntimeError(f"it asked the model more than {self.most:.0f} times, and would perhaps never end")
        self.crafting.ledger.forwards[self.crafting.rows] += len(pixels)
        points = pixels.to(image)  # some hand over float64
        try:
            logits = self._traced(points) if torch.is_grad_enabled() and points.requires_grad else self._said(points)
        except Exception as error:
            self.error = error
            raise
        return logits.softmax(1) if self.softmax else logits

    def _said(self, points: Tensor) -> Tensor:
        return self.crafting.victim.logits(points.detach())

    def _traced(self, points: Tensor) -> Tensor:
        """Return logits that gradients go through, which are counted when they do."""
        ledger, rows = self.crafting.ledger, self.crafting.rows
        points = points.view_as(points)  # whatever else hangs on the library's own tensor
        logits = self.crafting.victim.ask_plainly(points).float()
        if not logits.requires_grad:
            raise BadInput(NO_GRADIENT)

        def count(gradient: Tensor) -> None:
            ledger.backwards[rows] += len(gradient)

        def look(gradient: Tensor) -> None:
            ledger.no_gradient[rows] |= ~((gradient != 0) & gradient.isfinite()).any()

        logits.register_hook(count)  # type: ignore[no-untyped-call]
        points.register_hook(look)  # type: ignore[no-untyped-call]
        return logits
