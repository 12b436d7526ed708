"""A step through a step: how the loss of a query changes with the weights that were there before its support set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.func import functional_call

from stillproof.core.errors import BadInput
from stillproof.nets.body import Body
from stillproof.nets.build import has_batch_norm
from stillproof.nets.chunks import chunk_size, most_at_once
from stillproof.train.meta.pair_loss import MixedPairs, pair_loss

Weights = dict[str, Tensor]
Norms = Literal["fixed", "adapted", "episode"]
Order = Literal["second", "first"]
MOST_KEPT = 2 * 2**30  # bytes of the graph of a support set's gradient
COPIES = 12  # of the largest map of an image, in such a graph


@dataclass(frozen=True)
class PairNetwork:
    """A network as a function of its weights, with the loss of pairs.

    Args:
        body: The network; what its batch norms remember is changed only where they are ``adapted``.
        eta: Weight of the divergence between the answers to a pair.
        smoothing: Share of the target that all classes have alike.
        norms: What batch norms go by: what they remember (``fixed``), the batch, which they remember (``adapted``), or
            the batch alone (``episode``).
    """

    body: nn.Module
    eta: float
    smoothing: float
    norms: Norms

    def __post_init__(self) -> None:
        """Set the mode of the network; batch norms that are to adapt must be there."""
        check_norms(self.norms, has_batch_norm(self.body))
        self.body.train(self.norms != "fixed")

    def weights(self) -> Weights:
        """Return the weights as they are."""
        return {name: weight.detach() for name, weight in self.body.named_parameters()}

    def memory(self) -> Weights:
        """Return what the norms remember, as a copy."""
        return {name: values.clone() for name, values in self.body.named_buffers()}

    def recall(self, memory: Weights) -> None:
        """Put back what the norms remembered."""
        for name, values in self.body.named_buffers():
            values.copy_(memory[name])

    def loss(self, weights: Mapping[str, Tensor], pairs: MixedPairs, *, remembers: bool) -> Tensor:
        """Return the mean loss of pairs, whose two images go through the network together."""
        said = self.logits(weights, torch.cat([pairs.attacked, pairs.clean]), remembers=remembers)
        attacked, clean = said.chunk(2)
        return pair_loss(attacked, clean, pairs.shares, eta=self.eta, smoothing=self.smoothing)

    def logits(self, weights: Mapping[str, Tensor], images: Tensor, *, remembers: bool = False) -> Tensor:
        """Return logits under other weights, and what norms remembered with them if that is among these."""
        kept = {name: values if remembers else values.clone() for name, values in self.body.named_buffers()}
        found: Tensor = functional_call(self.body, self.with_shared({**kept, **weights}), (images,))
        return found

    def with_shared(self, weights: Mapping[str, Tensor]) -> Weights:
        """Return weights under all of their names: what layers share has several, and is learned under the first."""
        first = {weight: name for name, weight in self.body.named_parameters()}
        every = self.body.named_parameters(remove_duplicate=False)
        return {**weights, **{name: weights[first[weight]] for name, weight in every}}

    def parts(self, pairs: MixedPairs) -> Iterator[tuple[MixedPairs, float]]:
        """Yield parts that fit the cache, with the share that each has of the mean; one, if images meet in a norm."""
        most = most_at_once(self.body)  # images, of which a pair has two
        size = chunk_size(len(pairs), max(1, most // 2) if most else 0)
        for start in range(0, len(pairs), size):
            part = pairs.part(slice(start, start + size))
            yield part, len(part) / len(pairs)

    def gradient(self, weights: Weights, pairs: MixedPairs) -> tuple[Weights, float]:
        """Return the gradient of the loss at the weights, and the loss."""
        total, whole = zeros_like(weights), 0.0
        for part, share in self.parts(pairs):
            at = _leaves(weights)
            loss = self.loss(at, part, remembers=self.norms == "adapted") * share
            _add(total, torch.autograd.grad(loss, list(at.values())))
            whole += float(loss.detach())
        return total, whole

    def slopes(self, weights: Weights, pairs: MixedPairs, *, remembers: bool) -> Iterator[Slopes]:
        """Yield the gradient of each part with its graph, from which a second derivative can be taken."""
        for part, share in self.parts(pairs):
            at = _leaves(weights)
            loss = self.loss(at, part, remembers=remembers) * share
            yield Slopes(at, torch.autograd.grad(loss, list(at.values()), create_graph=True))

    def keeps_graph(self, pairs: MixedPairs) -> bool:
        """Say whether the graph of a gradient fits into memory; else it is made again, in parts."""
        largest = self.body.largest_map if isinstance(self.body, Body) else 0
        return 0 < 2 * len(pairs) * largest * COPIES * pairs.clean.element_size() <= MOST_KEPT


def check_norms(norms: Norms, has_batch_norms: bool) -> None:
    """Refuse batch norms that are to adapt where a network has none."""
    if norms != "fixed" and not has_batch_norms:
        raise BadInput(f"batch_norm = {norms} is not allowed: the network has no batch norms, choose fixed.")


@dataclass(frozen=True)
class Slopes:
    """A gradient that can be differentiated again: the weights that it is at, and its parts."""

    at: Weights
    values: Sequence[Tensor]

    def along(self, vector: Weights) -> Sequence[Tensor]:
        """Return the product of the second derivative with a vector; the graph is gone afterwards."""
        pairs = zip(self.at, self.values, strict=True)
        dot = torch.stack([(slope * vector[name]).sum() for name, slope in pairs]).sum()
        return torch.autograd.grad(dot, list(self.at.values()), materialize_grads=True)


def zeros_like(weights: Weights) -> Weights:
    """Return as many zeros."""
    return {name: torch.zeros_like(weight) for name, weight in weights.items()}


def _leaves(weights: Weights) -> Weights:
    return {name: weight.detach().requires_grad_() for name, weight in weights.items()}


def _add(total: Weights, found: Sequence[Tensor]) -> None:
    for name, one in zip(total, found, strict=True):
        total[name] += one.detach()


def stepped(weights: Weights, gradient: Weights, size: float) -> Weights:
    """Return the weights after a step against a gradient."""
    return {name: weight - size * gradient[name] for name, weight in weights.items()}


def through_step(
    network: PairNetwork, support: MixedPairs, query: MixedPairs, *, size: float, order: Order
) -> tuple[Weights, Weights, float]:
    """Return the gradient of the query's loss after a step on the support set, that step's weights, and the loss.

    With theta' = theta - size g(theta), the gradient at theta is (1 - size H) times that at theta', where H is the
    second derivative of the support set's loss; of ``first`` order, H is left out.
    """
    before = network.weights()
    if order == "first":
        inner, _ = network.gradient(before, support)
        after = stepped(before, inner, size)
        outer, loss = network.gradient(after, query)
        return outer, after, loss
    inner, kept = zeros_like(before), []
    for part in network.slopes(before, support, remembers=network.norms == "adapted"):
        _add(inner, part.values)
        kept += [part] if network.keeps_graph(support) else []
    after = stepped(before, inner, size)
    outer, loss = network.gradient(after, query)
    curved = zeros_like(before)
    for part in kept or network.slopes(before, support, remembers=False):
        _add(curved, part.along(outer))
    return stepped(outer, curved, size), after, loss


def mean_through_steps(
    network: PairNetwork, supports: Sequence[MixedPairs], query: MixedPairs, *, size: float, order: Order, clip: float
) -> tuple[Weights, list[Weights], float] | None:
    """Return the mean of the gradients through a step on each support set, those steps' weights, and the mean loss.

    Nothing, and nothing is remembered, if one of them is not finite.
    """
    memory, found = network.memory(), []
    for support in supports:
        gradient, after, loss = through_step(network, support, query, size=size, order=order)
        if not (math.isfinite(loss) and finite(gradient)):
            network.recall(memory)
            return None
        found.append((clipped(gradient, clip), after, loss))
    gradients, steps, losses = zip(*found, strict=True)
    mean = {name: torch.stack([one[name] for one in gradients]).mean(0) for name in gradients[0]}
    return mean, list(steps), sum(losses) / len(losses)


def finite(weights: Weights) -> bool:
    """Say whether all weights, or all parts of a gradient, are finite."""
    return all(bool(one.isfinite().all()) for one in weights.values())


def clipped(gradient: Weights, longest: float) -> Weights:
    """Return a gradient of at most that norm, all weights together; 0 for any."""
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(one) for one in gradient.values()]))
    factor = float((longest / norm).clamp(max=1)) if longest and norm > 0 else 1.0
    return gradient if factor == 1.0 else {name: factor * one for name, one in gradient.items()}
