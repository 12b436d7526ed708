"""Kernel ridge regression from a small support set, and how well it classifies."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.types import ImageSet

Kernel = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]  # support, targets -> (n, n), (targets, n), in float64

BATCH = 1000  # test images at once


def regress(within: Tensor, across: Tensor, labels: Tensor, ridge: float) -> Tensor | None:
    """Return the labels (t, classes) that the support predicts for the targets; None if it is no support.

    Args:
        within: Kernel of the support with itself (n, n).
        across: Kernel of targets and support (t, n).
        labels: Labels of the support (n, classes).
        ridge: Added to the diagonal, as a share of its mean.
    """
    identity = torch.eye(len(within), dtype=within.dtype, device=within.device)
    factor, failed = torch.linalg.cholesky_ex(within + ridge * within.trace() / len(within) * identity)
    if bool(failed):
        return None
    return across @ torch.cholesky_solve(labels.to(within), factor)


def centred(classes: Tensor, num_classes: int) -> Tensor:
    """Return classes (N,) as regression wants them: one-hot minus 1/classes, (N, classes) in float64."""
    return F.one_hot(classes, num_classes).double() - 1 / num_classes


@torch.no_grad()
def krr_accuracy(
    support: Tensor,
    labels: Tensor,
    test: ImageSet,
    front: Callable[[Tensor], Tensor],
    kernel: Kernel,
    ridge: float = 1e-6,
) -> float:
    """Return the share of test images that regression from a support set classifies rightly: KIP's own measure.

    Args:
        support: Images (n, C, H, W) in the front's space.
        labels: Their centred labels (n, classes).
        test: Real images.
        front: Takes pixels into that space.
        kernel: The kernel.
        ridge: As in ``regress``.
    """
    right = 0
    for start in range(0, len(test), BATCH):
        part = slice(start, start + BATCH)
        found = regress(*kernel(support, front(test.read(part, str(support.device)))), labels, ridge)
        right += 0 if found is None else int((found.argmax(1).cpu() == test.labels[part]).sum())
    return right / len(test)
