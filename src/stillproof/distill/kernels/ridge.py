"""Kernel ridge regression from a small support set."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def regress(within: Tensor, across: Tensor, labels: Tensor, ridge: float) -> Tensor | None:
    """Return the labels (t, classes) that the support predicts for the targets; None if its kernel cannot be inverted.

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
