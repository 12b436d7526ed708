"""The teacher of a distillation: a trained network, frozen, and its answers."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.train.model import TrainedModel
from stillproof.transforms.front import Front


def teacher_of(ctx: Context, number: int = 0) -> TrainedModel:
    """Return a teacher, frozen, with the statistics of its training."""
    teacher = ctx.teachers[number]
    assert isinstance(teacher, TrainedModel)
    return teacher.eval().requires_grad_(False)


def answers(teacher: TrainedModel, images: Tensor, ctx: Context) -> Tensor:
    """Return a teacher's logits for images of the cell's space; it sees their pixels, through its own front."""
    assert isinstance(ctx.front, Front), "there is no way back to pixels"
    logits: Tensor = teacher(ctx.front.inverse(images))
    return logits


def pixel_range(ctx: Context, channels: int) -> tuple[Tensor, Tensor]:
    """Return black and white in the cell's space, (1, channels, 1, 1) each."""
    black = torch.zeros(1, channels, 1, 1)
    return ctx.into_space(black), ctx.into_space(black + 1)
