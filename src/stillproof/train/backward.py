"""The backward pass of a batch, all at once or in parts and chunks whose gradients add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.nets.chunks import chunk_size
from stillproof.train.batch import Batch

# The loss of a batch; or several, one after the other: each is followed by its backward pass and a step.
BatchLoss = Callable[[Batch], Tensor | Iterable[Tensor]]

# Yields the losses of a batch, detached, each after its backward pass into fresh gradients; a step is made in between.
Backward = Callable[[Batch, torch.optim.Optimizer], Iterator[Tensor]]


def backward_of(loss_of: BatchLoss, parts: int, most: int = 0) -> Backward:
    """Return the backward pass of a batch.

    Args:
        loss_of: Its loss.
        parts: Parts that it goes through the network in because the recipe says so; a batch norm sees one at a time.
        most: Images that go through at once because that is fast, 0 for all; the gradient is that of all, but for
            rounding.
    """
    return _InParts(loss_of, parts, most) if parts > 1 or most else _Whole(loss_of)


class _Whole:
    def __init__(self, loss_of: BatchLoss) -> None:
        self.loss_of = loss_of

    def __call__(self, batch: Batch, optimiser: torch.optim.Optimizer) -> Iterator[Tensor]:
        found = self.loss_of(batch)
        losses: Iterable[Tensor] = [found] if isinstance(found, Tensor) else found
        for loss in losses:
            optimiser.zero_grad(set_to_none=True)  # also of what finding the loss may have left
            _backward(loss)
            yield loss.detach()


class _InParts:
    """Parts are as large as those of the first batch; a smaller last batch has fewer, and so a smaller gradient.

    That is how SRe2L's authors have it.
    """

    def __init__(self, loss_of: BatchLoss, parts: int, most: int) -> None:
        self.loss_of, self.parts, self.most, self.size = loss_of, parts, most, 0

    def __call__(self, batch: Batch, optimiser: torch.optim.Optimizer) -> Iterator[Tensor]:
        self.size = self.size or -(-len(batch) // self.parts)
        total: float | Tensor = 0.0
        began = False
        for part in batch.split(self.size if self.parts > 1 else len(batch)):
            for chunk in part.split(chunk_size(len(part), self.most)):
                loss = self.loss_of(chunk)
                if not isinstance(loss, Tensor):
                    raise BadInput("parts = 1 is needed: the objective has several losses for a batch, a step each.")
                if not began:
                    optimiser.zero_grad(set_to_none=True)  # also of what finding the loss may have left
                    began = True
                _backward(loss * (len(chunk) / len(part) / self.parts))
                total = total + loss.detach() * (len(chunk) / len(batch))
        assert isinstance(total, Tensor)
        yield total


def _backward(loss: Tensor) -> None:
    if not loss.requires_grad:
        raise BadInput(
            "the loss has no gradient, so nothing can be learned: the forward of the network, or the objective, runs "
            "under torch.no_grad() or detaches what it is given."
        )
    loss.backward()  # type: ignore[no-untyped-call]
