"""A network as a function of one vector of weights: its loss, gradients, and gradients of its slope."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, jvp
from torch.nn import functional as F

from stillproof.train.compiled import compiled


class FlatNetwork:
    """Cross-entropy of a network whose weights are handed in as a vector (P,), in the order of its parameters."""

    def __init__(self, body: nn.Module, *, flops: float, notes: MutableMapping[str, Any]) -> None:
        """Prepare for ``flops`` of work."""
        self.body = body.train()
        _spell_out_norms(body)
        self.names = [name for name, _ in body.named_parameters()]
        self.shapes = [parameter.shape for parameter in body.parameters()]
        self._loss = compiled(self._loss_of, body, flops=flops, notes=notes)
        self._slope = compiled(self._slope_of, body, flops=flops, notes=notes)

    def gradient(self, weights: Tensor, images: Tensor, labels: Tensor) -> Tensor:
        """Return the gradient of the loss with respect to the weights, (P,)."""
        parts = [part.requires_grad_() for part in self._split(weights)]
        return _join(torch.autograd.grad(self._loss(images, labels, *parts), parts))

    def slope(
        self, weights: Tensor, direction: Tensor, images: Tensor, labels: Tensor, *, by_weights: bool
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return the slope s of the loss along ``direction``, ds/d images, and ds/d weights if it is wanted.

        ds/d weights is the Hessian times the direction. The slope is computed forward, so that one backward pass is
        enough and code for it can be compiled, which code that is differentiated twice cannot.
        """
        parts = [part.requires_grad_(by_weights) for part in self._split(weights)]
        images = images.detach().requires_grad_()
        slope = self._slope(images, labels, *parts, *self._split(direction))
        by_images, *rest = torch.autograd.grad(slope, [images, *parts] if by_weights else [images])
        return slope.detach(), by_images, _join(rest) if by_weights else None

    def _loss_of(self, images: Tensor, labels: Tensor, *weights: Tensor) -> Tensor:
        return F.cross_entropy(
            functional_call(self.body, dict(zip(self.names, weights, strict=True)), (images,)), labels
        )

    def _slope_of(self, images: Tensor, labels: Tensor, *weights_and_direction: Tensor) -> Tensor:
        weights = weights_and_direction[: len(self.names)]
        direction = weights_and_direction[len(self.names) :]
        slope: Tensor = jvp(lambda *w: self._loss_of(images, labels, *w), weights, direction)[1]
        return slope

    def _split(self, vector: Tensor) -> list[Tensor]:
        parts = torch.split(vector.detach(), [shape.numel() for shape in self.shapes])
        return [part.view(shape) for part, shape in zip(parts, self.shapes, strict=True)]


class _SpelledOut(nn.Module):
    """A norm by its formula: torch's own, differentiated forward, forget that the statistics depend on the input."""

    def __init__(self, original: nn.BatchNorm2d | nn.LayerNorm) -> None:
        super().__init__()
        self.weight, self.bias, self.eps = original.weight, original.bias, original.eps
        self.over = (0, 2, 3) if isinstance(original, nn.BatchNorm2d) else tuple(range(-self.weight.dim(), 0))
        self.shape = (-1, 1, 1) if isinstance(original, nn.BatchNorm2d) else tuple(self.weight.shape)

    def forward(self, maps: Tensor) -> Tensor:
        centred = maps - maps.mean(self.over, keepdim=True)
        scale = torch.rsqrt(centred.square().mean(self.over, keepdim=True) + self.eps)
        return centred * scale * self.weight.view(self.shape) + self.bias.view(self.shape)


def _spell_out_norms(body: nn.Module) -> None:
    for parent in list(body.modules()):
        for name, module in parent.named_children():
            if isinstance(module, nn.BatchNorm2d | nn.LayerNorm):
                setattr(parent, name, _SpelledOut(module))


def _join(parts: Any) -> Tensor:
    return torch.cat([part.reshape(-1) for part in parts])
