"""The backward pass of a batch, all at once or in parts whose gradients add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.train.batch import Batch

# The loss of a batch; or several, one after the other: each is followed by its backward pass and a step.
BatchLoss = Callable[[Batch], Tensor | Iterable[Tensor]]

# Yields the losses of a batch, detached, each after its backward pass into fresh gradients; a step is made in between.
Backward = Callable[[Batch, torch.optim.Optimizer], Iterator[Tensor]]


def backward_of(loss_of: BatchLoss, parts: int) -> Backward:
    """Return the backward pass of a batch that goes through the network in ``parts``."""
    return _InParts(loss_of, parts) if parts > 1 else _Whole(loss_of)


class _Whole:
    def __init__(self, loss_of: BatchLoss) -> None:
        self.loss_of = loss_of

    def __call__(self, batch: Batch, optimiser: torch.optim.Optimizer) -> Iterator[Tensor]:
        found = self.loss_of(batch)
        losses: Iterable[Tensor] = [found] if isinstance(found, Tensor) else found
        for loss in losses:
            optimiser.zero_grad(set_to_none=True)  # also of what finding the loss may have left
            loss.backward()  # type: ignore[no-untyped-call]
            yield loss.detach()


class _InParts:
    """Parts are as large as those of the first batch; a smaller last batch has fewer, and so a smaller gradient.

    That is how SRe2L's authors have it.
    """

    def __init__(self, loss_of: BatchLoss, parts: int) -> None:
        self.loss_of, self.parts, self.size = loss_of, parts, 0

    def __call__(self, batch: Batch, optimiser: torch.optim.Optimizer) -> Iterator[Tensor]:
        self.size = self.size or -(-len(batch) // self.parts)
        means: list[Tensor] = []
        counts: list[int] = []
        for part in batch.split(self.size):
            loss = self.loss_of(part)
            if not isinstance(loss, Tensor):
                raise BadInput("parts = 1 is needed: the objective has several losses for a batch, with a step each.")
            if not means:
                optimiser.zero_grad(set_to_none=True)
            (loss / self.parts).backward()  # type: ignore[no-untyped-call]
            means.append(loss.detach())
            counts.append(len(part))
        shares = torch.tensor(counts, device=means[0].device) / len(batch)
        yield (torch.stack(means) * shares).sum()
