"""An episode of Meta-AT, the gradient through its step, against a plain loop that keeps the whole graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import torch
from torch import Tensor
from torch.func import functional_call

from benchmarks.line import Line
from benchmarks.training import INFO
from benchmarks.turns import seconds
from stillproof.core.components import networks
from stillproof.core.seeds import Seeds
from stillproof.nets.build import build_network
from stillproof.train.meta.meta_step import Order, PairNetwork, through_step
from stillproof.train.meta.pair_loss import MixedPairs, pair_loss

NETWORK = "convnet-3:width=32"
SUPPORT, QUERY = 250, 40  # pairs of images: five attacks with five images per class, and four of one
TURNS, SIZE = 5, 0.01


def episode_lines() -> Iterator[Line]:
    """Measure both orders of the gradient, by turns with the plain loop."""
    body = build_network(networks.build(NETWORK), INFO, Seeds(0), "cpu").eval()
    support, query = _pairs(SUPPORT, 0), _pairs(QUERY, 1)
    network = PairNetwork(body, eta=1.0, smoothing=0.3, norms="fixed")
    orders: tuple[Order, ...] = ("second", "first")
    ways: dict[str, Callable[[], Any]] = {"plain": lambda: _plain(network, support, query)}
    for order in orders:
        ways[order] = lambda order=order: through_step(network, support, query, size=SIZE, order=order)  # type: ignore[misc]
    for way in ways.values():
        way()
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, way in ways.items():
            found[name].append(seconds(way))
    plain = median(found["plain"])
    for order in orders:
        ours = median(found[order])
        told = f"{1000 * ours:.0f} ms, the plain loop {1000 * plain:.0f} ms; {NETWORK}, {SUPPORT} + {QUERY} pairs"
        yield Line(f"episode of meta-at, {order} order: times a plain loop of second order", plain / ours, "x", told)


def _pairs(count: int, seed: int) -> MixedPairs:
    generator = torch.Generator().manual_seed(seed)
    clean = torch.randn(count, 3, 32, 32, generator=generator)
    shares = torch.nn.functional.one_hot(torch.arange(count) % 10, 10).float()
    return MixedPairs(clean + 0.1 * torch.randn(clean.shape, generator=generator), clean, shares)


def _plain(network: PairNetwork, support: MixedPairs, query: MixedPairs) -> dict[str, Tensor]:
    """Take the gradient of the whole, as one would write it down."""
    at = {name: weight.clone().requires_grad_() for name, weight in network.weights().items()}

    def loss(weights: dict[str, Tensor], pairs: MixedPairs) -> Tensor:
        attacked, clean = (functional_call(network.body, weights, (one,)) for one in (pairs.attacked, pairs.clean))
        return pair_loss(attacked, clean, pairs.shares, eta=network.eta, smoothing=network.smoothing)

    slopes = torch.autograd.grad(loss(at, support), list(at.values()), create_graph=True)
    after = {name: at[name] - SIZE * slope for name, slope in zip(at, slopes, strict=True)}
    return dict(zip(at, torch.autograd.grad(loss(after, query), list(at.values())), strict=True))
