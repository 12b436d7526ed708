"""What recovered images should be to a teacher: images of their classes, with the statistics that it remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.context import Context
from stillproof.core.errors import Unsupported
from stillproof.distill.teacher import answers, teacher_of
from stillproof.nets.compiled import compiled


class TeacherLoss:
    """Cross-entropy of a group of images, and the weighed distances of its statistics from the teacher's.

    To be used in a ``with`` block, which takes its hooks out of the teacher: teachers are shared.

    Args:
        ctx: The cell's context, with the teacher.
        name: The teacher's network.
        r_bn: Weight of the distances.
        first_bn: Weight of the first batch norm among them.
        flops: All work that lies ahead, for the decision whether compiling repays.
    """

    def __init__(self, ctx: Context, name: str, *, r_bn: float, first_bn: float, flops: float) -> None:
        self.teacher, self.ctx, self.r_bn, self.first_bn = teacher_of(ctx), ctx, r_bn, first_bn
        self.norms = BatchNorms(self.teacher, name)
        self._losses_of = compiled(self._losses, self.teacher.body, flops=flops, notes=ctx.notes)

    def __enter__(self) -> TeacherLoss:
        """Return the loss."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the teacher as it was."""
        self.norms.close()

    def of_groups(self, groups: list[Tensor], truth: Tensor) -> Tensor:
        """Return the loss of each of equally large groups, (images, C, H, W) each, of classes (groups, images)."""
        return self._losses_of(torch.cat(groups), truth)

    def _losses(self, images: Tensor, truth: Tensor) -> Tensor:
        self.norms.expect(len(truth))
        logits = answers(self.teacher, images, self.ctx)
        recognised = F.cross_entropy(logits, truth.flatten(), reduction="none").view_as(truth).mean(1)
        distances = self.norms.distances()
        return recognised + self.r_bn * (distances.sum(0) + (self.first_bn - 1) * distances[0])


class BatchNorms:
    """Watches how far images are from what a frozen network's batch norms remember, in the order that they pass them.

    The mean and variance of what enters a norm, over all images of a group and all places, are compared with its
    running ones. A frozen network takes each image by itself, so that several groups may go through it at once.
    """

    def __init__(self, network: nn.Module, name: str) -> None:
        """Hook into the network; ``name`` is for the sentence that refuses one without batch norms."""
        norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
        if not norms:
            why = f"{name} has no batch norms, whose statistics are what images are recovered from"
            raise Unsupported(f"{why}: name a teacher with them, such as teacher=convnet-3-bn.")
        self._groups = 1
        self._found: list[Tensor] = []
        self._hooks = [norm.register_forward_pre_hook(self._compare) for norm in norms]

    def expect(self, groups: int) -> None:
        """Say that the next pass has so many groups of images, equally large and one after another."""
        self._groups = groups
        self._found.clear()

    def distances(self) -> Tensor:
        """Return what each norm found in the last pass, (norms, groups): the lengths of both differences, added."""
        return torch.stack(self._found)

    def close(self) -> None:
        """Leave the network as it was."""
        for hook in self._hooks:
            hook.remove()

    def _compare(self, norm: nn.Module, inputs: Sequence[Any]) -> None:
        assert isinstance(norm, nn.BatchNorm2d) and norm.running_mean is not None and norm.running_var is not None
        maps = inputs[0].unflatten(0, (self._groups, -1))  # (groups, images, channels, height, width)
        variance, mean = torch.var_mean(maps, dim=(1, 3, 4), correction=0)
        # The length of a difference, not its square: so it is in the original.
        self._found.append((norm.running_var - variance).norm(dim=1) + (norm.running_mean - mean).norm(dim=1))
