"""One update of trajectory matching: an expert, a start on its way, and the steps that should lead along it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.distill.trajectories.flat_network import FlatNetwork
from stillproof.distill.trajectories.unrolled import Batch, Unrolled, unrolled_match
from stillproof.transforms.dsa import DSA

if TYPE_CHECKING:
    from stillproof.distill.mtt import TrajectoryMatching


class TrajectoryMatcher:
    """Draws experts and batches by the number of the update."""

    def __init__(self, method: TrajectoryMatching, labels: Tensor, ctx: Context, passes: float) -> None:
        """Prepare for synthetic images with these labels, and for ``passes`` forward passes of one image."""
        self.method, self.labels, self.ctx = method, labels, ctx
        self.augment = DSA(method.strategy)
        self.network = FlatNetwork(ctx.make_network(), flops=ctx.forward_flops * passes, notes=ctx.notes)

    def match(self, images: Tensor, lr: Tensor, step: int) -> Unrolled:
        """Return loss and gradients of one update."""
        generator = self.ctx.seeds.child("expert", step).torch()
        expert = self.ctx.experts[_draw(len(self.ctx.experts), generator)]
        begin = _draw(self.method.max_start, generator)
        start, goal = (expert[epoch].to(self.ctx.device) for epoch in (begin, begin + self.method.expert_epochs))
        batches = list(self._batches(step))
        exact = self.method.gradient == "exact"
        return unrolled_match(self.network, images, self.labels, lr, batches, start=start, goal=goal, exact=exact)

    def _batches(self, step: int) -> Iterator[Batch]:
        """Yield the steps of training: all images each time, or one shuffled part after another."""
        total = len(self.labels)
        size = min(self.method.batch_syn or total, total)
        generator = self.ctx.seeds.child("order", step).torch()
        waiting: list[Tensor] = []
        for number in range(self.method.syn_steps):
            if not waiting:
                waiting = list(torch.split(torch.randperm(total, generator=generator), size))
            seeds = self.ctx.seeds.child("unrolled", step, number)
            yield Batch(
                waiting.pop(0).to(self.labels.device),
                lambda images, seeds=seeds: self.augment(images, seeds.child("dsa").torch()),  # type: ignore[misc]
                lambda seeds=seeds: seeds.child("dropout").lent_to_torch(self.ctx.device),  # type: ignore[misc]
            )


def _draw(options: int, generator: torch.Generator) -> int:
    return int(torch.randint(options, (), generator=generator))
