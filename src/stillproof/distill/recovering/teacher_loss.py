"""What recovered images should be to a teacher: images of their classes, with the statistics that it remembers."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.context import Context
from stillproof.distill.recovering.batch_norms import BatchNorms
from stillproof.distill.teaching.teacher import answers, teacher_of
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
