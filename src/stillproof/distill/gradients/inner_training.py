"""Training of a network on the synthetic images, between two looks at it by a method that learns them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from stillproof.core.seeds import Seeds
from stillproof.core.types import Augmentation
from stillproof.nets.chunks import shares


@dataclass(frozen=True)
class InnerTraining:
    """Epochs of plain SGD, without momentum: there is nothing to remember from one call to the next but the weights.

    Args:
        body: The network, trained in place.
        loss_of: Takes images and labels and returns the network's mean loss.
        epochs: Passes over the images per call.
        lr: Step size.
        batch: Images per step.
        augment: Changes every batch; nothing, if None.
    """

    body: nn.Module
    loss_of: Callable[[Tensor, Tensor], Tensor]
    epochs: int
    lr: float
    batch: int
    augment: Augmentation | None

    def __call__(self, images: Tensor, labels: Tensor, seeds: Seeds) -> None:
        """Train on ``images``."""
        optimiser = torch.optim.SGD(self.body.parameters(), lr=self.lr)
        self.body.train()
        for epoch in range(self.epochs):
            draws = seeds.child(epoch)
            order = torch.randperm(len(images), generator=draws.child("order").torch()).to(images.device)
            for number, index in enumerate(torch.split(order, self.batch)):
                chosen = images[index]
                if self.augment is not None:
                    chosen = self.augment(chosen, draws.child("augment", number).torch())
                optimiser.zero_grad()
                for part, truth, share in shares(self.body, chosen, labels[index]):
                    (share * self.loss_of(part, truth)).backward()  # type: ignore[no-untyped-call]
                optimiser.step()
