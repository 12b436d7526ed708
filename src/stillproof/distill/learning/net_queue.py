"""A queue of networks in all stages of training, through which IDM and BACON look at their images."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.seeds import Seeds
from stillproof.nets.body import Body
from stillproof.nets.build import reinitialise

LR, MOMENTUM, WEIGHT_DECAY = 0.01, 0.9, 5e-4  # of the training on real images


@dataclass
class Member:
    """One network: its weights, the state of its optimiser, and how it did in training since the last reset."""

    weights: dict[str, Tensor]
    optimiser: dict[str, Any] = field(default_factory=dict)
    right: int = 0
    seen: int = 0

    @property
    def accuracy(self) -> float:
        """Return the share of training images that it had right; 0 before it has seen any."""
        return self.right / self.seen if self.seen else 0.0


class NetQueue:
    """Networks of one kind, oldest first; all of them take turns in one module, which may be compiled.

    Part of a checkpoint. Everything in it comes from ``seeds`` and from the images that it is trained on.
    """

    def __init__(self, body: Body, seeds: Seeds, most: int) -> None:
        """Begin empty; hold at most ``most`` networks."""
        self.body, self.seeds, self.most = body, seeds, most
        self.members: list[Member] = []
        self.born = 0

    def __len__(self) -> int:
        """Return the number of networks."""
        return len(self.members)

    def push(self) -> None:
        """Add a fresh network; the oldest leaves when there is no room."""
        reinitialise(self.body, self.seeds.child(self.born))
        self.members = [*self.members, Member(self._weights())][-self.most :]
        self.born += 1

    def forget(self) -> None:
        """Reset the counts behind all accuracies."""
        for member in self.members:
            member.right = member.seen = 0

    def show(self, position: int) -> Member:
        """Put one network in the module, frozen and in evaluation mode."""
        self.body.load_state_dict(self.members[position].weights)
        self.body.eval().requires_grad_(False)
        return self.members[position]

    def train(
        self, position: int, batches: Iterable[tuple[Tensor, Tensor]], logits_of: Callable[[Tensor], Tensor]
    ) -> None:
        """Train one network by a step of SGD on each batch of images and labels; its momentum lives on."""
        member = self.show(position)
        self.body.train().requires_grad_(True)
        optimiser = torch.optim.SGD(self.body.parameters(), lr=LR, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY)
        if member.optimiser:
            optimiser.load_state_dict(member.optimiser)
        for images, labels in batches:
            logits = logits_of(images)
            optimiser.zero_grad()
            F.cross_entropy(logits, labels).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            member.right += int((logits.detach().argmax(1) == labels).sum())
            member.seen += len(labels)
        member.weights, member.optimiser = self._weights(), optimiser.state_dict()

    def state_dict(self) -> dict[str, Any]:
        """Return everything, as tensors and plain values."""
        return {"born": self.born, "members": [vars(member) for member in self.members]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Put everything back."""
        self.born, self.members = state["born"], [Member(**member) for member in state["members"]]

    def _weights(self) -> dict[str, Tensor]:
        return {name: value.detach().clone() for name, value in self.body.state_dict().items()}
