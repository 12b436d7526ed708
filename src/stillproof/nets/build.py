"""Builds networks under a named seed, draws their weights anew, and counts what they cost."""

from __future__ import annotations

import copy

import torch

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, Network
from stillproof.nets.body import Body
from stillproof.nets.network_size import network_size


def build_network(network: Network, info: DataInfo, seeds: Seeds, device: str) -> Body:
    """Return the network for a data set, its weights drawn from ``seeds``; the global generators stay as they are."""
    with torch.random.fork_rng(devices=[]):
        body = network.build(info.channels, info.size, info.num_classes)
    if not isinstance(body, Body):
        raise BadInput(f"network {network!r} built a {type(body).__name__}: build must return a subclass of Body.")
    reinitialise(body, seeds)
    body.largest_map = network_size(network, info.channels, info.size, info.num_classes).largest_map
    return body.to(device)


def reinitialise(body: Body, seeds: Seeds) -> None:
    """Draw new weights in place: the very ones that ``build_network`` draws from the same seeds."""
    # The draws are made on the CPU, so that every device gets the same weights.
    fresh = copy.deepcopy(body).cpu()
    with torch.random.fork_rng(devices=[]):
        # Not torch.manual_seed, which would seed the generators of other devices as well.
        torch.default_generator.manual_seed(seeds.integer())
        for module in fresh.modules():
            _reset(module)
    body.load_state_dict(fresh.state_dict())


def count_parameters(body: Body) -> int:
    """Return the number of trainable values."""
    return sum(parameter.numel() for parameter in body.parameters())


def forward_flops(network: Network, channels: int, size: int, num_classes: int) -> int:
    """Return the floating-point operations of one image's forward pass; a multiply-add counts as two."""
    return network_size(network, channels, size, num_classes).flops


def _reset(module: torch.nn.Module) -> None:
    reset = getattr(module, "reset_parameters", None)
    if reset is not None:
        reset()
    elif next(module.parameters(recurse=False), None) is not None:
        name = type(module).__name__
        raise BadInput(f"module {name} holds parameters of its own: give it a reset_parameters method that draws them.")


def has_batch_norm(body: torch.nn.Module) -> bool:
    """Say whether images of one batch change each other's features."""
    return any(isinstance(module, torch.nn.modules.batchnorm._BatchNorm) for module in body.modules())
