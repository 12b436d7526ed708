"""How large a network is: its work, its weights, and what it keeps of one image."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from stillproof.core.types import Network


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """What a network takes, by image where it depends on them.

    Args:
        flops: Floating-point operations of one image's forward pass; a multiply-add counts as two.
        values: Numbers that are stored with it: its weights, and the statistics of its norms.
        kept: Values that its modules give for one image, which a backward pass needs again.
        largest_map: Values of the largest output of a convolution or a linear layer for one image.
        widest: The most values that one module takes and gives, which is all that a forward pass holds at once.
    """

    flops: int
    values: int
    kept: int
    largest_map: int
    widest: int


def network_size(network: Network, channels: int, size: int, num_classes: int) -> NetworkSize:
    """Count what a network takes for images of a data set.

    Convolutions and linear layers are counted as work: that is all but a few percent of any network here.
    """
    # Components are frozen dataclasses, hence hashable, which their protocol cannot say.
    return _count(cast(Hashable, network), channels, size, num_classes)


@functools.cache
def _count(network: Network, channels: int, size: int, num_classes: int) -> NetworkSize:
    # One real pass of one image. The meta device or torch's own counter would load the compiler, a second's work.
    with torch.random.fork_rng(devices=[]):
        body = network.build(channels, size, num_classes).eval()
    with torch.no_grad():
        return forward_measured(body, torch.zeros(1, channels, size, size))[1]


def forward_measured(module: torch.nn.Module, images: Tensor) -> tuple[Tensor, NetworkSize]:
    """Take images through a module, and count on the way what that takes for one of them."""
    flops = kept = largest = widest = 0

    def count(module: torch.nn.Module, inputs: tuple[object, ...], output: object) -> None:
        nonlocal flops, kept, largest, widest
        if not isinstance(output, Tensor):  # a plug-in's own kind of module
            return
        if isinstance(module, torch.nn.Conv2d | torch.nn.Linear):
            flops += 2 * output.numel() * module.weight[0].numel()
            largest = max(largest, output.numel())
        taken = next((given for given in inputs if isinstance(given, Tensor)), None)
        if taken is None or output.data_ptr() != taken.data_ptr():  # not in place
            kept += output.numel()
            widest = max(widest, output.numel() + (0 if taken is None else taken.numel()))

    leaves = [module for module in module.modules() if next(module.children(), None) is None]
    hooks = [leaf.register_forward_hook(count) for leaf in leaves]
    try:
        made: Tensor = module(images)
    finally:
        for hook in hooks:
            hook.remove()
    values = sum(value.numel() for value in module.state_dict().values())
    n = len(images)
    return made, NetworkSize(flops // n, values, kept // n, largest // n, widest // n)
