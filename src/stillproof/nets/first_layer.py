"""The first layer of a network that has weights, apart from the others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from torch import Tensor, nn

from stillproof.core.errors import BadInput


class _Reached(Exception):
    """The first layer has answered, and no other shall be asked."""


def first_output(module: nn.Module, images: Tensor) -> Tensor:
    """Return what the first layer makes of images; those behind it do no work."""
    found: list[Tensor] = []

    def stop(output: Tensor) -> Tensor:
        found.append(output)
        raise _Reached

    with contextlib.suppress(_Reached), _behind_first_layer(module, stop):
        module(images)
    return found[0]


def with_first_output(module: nn.Module, images: Tensor) -> tuple[Tensor, Tensor]:
    """Return logits, and what the first layer made of the images, as the point from which gradients are counted."""
    found: list[Tensor] = []

    def cut(output: Tensor) -> Tensor:
        found.append(output.detach().requires_grad_())
        return found[0].clone()  # what comes next may change it in place

    with _behind_first_layer(module, cut):
        logits: Tensor = module(images)
    return logits, found[0]


@contextlib.contextmanager
def _behind_first_layer(module: nn.Module, then: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Let ``then`` change what the first layer gives; it is the one that answers first of all that have weights."""
    reached = False

    def look(_: nn.Module, __: tuple[object, ...], output: Tensor) -> Tensor | None:
        nonlocal reached
        if reached:
            return None
        reached = True
        return then(output)

    layers = [part for part in module.modules() if next(part.parameters(recurse=False), None) is not None]
    hooks = [layer.register_forward_hook(look) for layer in layers]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
    if not reached:
        raise BadInput(f"no layer of {type(module).__name__} has weights: there is no first one.")
