"""A network as a function of one vector of weights: its loss, gradients, and gradients of its slope."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, jvp
from torch.nn import functional as F

from stillproof.nets.compiled import compiled


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


Norm = nn.BatchNorm2d | nn.LayerNorm | nn.GroupNorm


class _SpelledOut(nn.Module):
    """A norm by its formula.

    Torch's own batch and layer norm, differentiated forward, forget that their statistics depend on the input; its
    group norm does not, but has no compiled form there.
    """

    def __init__(self, original: Norm) -> None:
        super().__init__()
        self.weight, self.bias, self.eps = original.weight, original.bias, original.eps
        self.groups = original.num_groups if isinstance(original, nn.GroupNorm) else 0
        self.over = tuple(range(-self.weight.dim(), 0)) if isinstance(original, nn.LayerNorm) else (0, 2, 3)
        self.shape = tuple(self.weight.shape) if isinstance(original, nn.LayerNorm) else (-1, 1, 1)

    def forward(self, maps: Tensor) -> Tensor:
        if self.groups:
            grouped = maps.reshape(len(maps), self.groups, -1, *maps.shape[2:])
            normal = _standardised(grouped, (2, 3, 4), self.eps).reshape(maps.shape)
        else:
            normal = _standardised(maps, self.over, self.eps)
        return normal * self.weight.view(self.shape) + self.bias.view(self.shape)


def _standardised(maps: Tensor, over: tuple[int, ...], eps: float) -> Tensor:
    centred = maps - maps.mean(over, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(over, keepdim=True) + eps)


def _spell_out_norms(body: nn.Module) -> None:
    for parent in list(body.modules()):
        for name, module in parent.named_children():
            if isinstance(module, Norm):
                setattr(parent, name, _SpelledOut(module))


def _join(parts: Any) -> Tensor:
    return torch.cat([part.reshape(-1) for part in parts])
