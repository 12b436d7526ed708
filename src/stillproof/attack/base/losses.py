"""What attacks make large: losses of logits, one per image, for the true class or towards a target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from torch import Tensor
from torch.nn import functional as F

from stillproof.core.errors import Unsupported

LossName = Literal["ce", "margin", "dlr"]
Loss = Callable[[Tensor, Tensor, Tensor | None], Tensor]  # logits (N, K), labels (N,), targets or None -> (N,)


def cross_entropy(logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Return the cross-entropy of the true class, or minus that of the target.

    Written with the distance to all other classes together: the usual form rounds the gradient of a confident model
    to zero, this one keeps it down to a probability of 1e-38.
    """
    wanted = labels if targets is None else targets
    own, others = _apart(logits, wanted)
    losses = F.softplus(others.logsumexp(1) - own)
    return losses if targets is None else -losses


def usual_cross_entropy(logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Return the same as everybody computes it, to reproduce results that were obtained with its rounding."""
    if targets is None:
        return F.cross_entropy(logits, labels, reduction="none")
    return -F.cross_entropy(logits, targets, reduction="none")


def margin(logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Return by how much the best wrong class, or the target, lies above the best of the others."""
    own, others = _apart(logits, labels if targets is None else targets)
    lead = own - others.amax(1)
    return -lead if targets is None else lead


def difference_of_logits_ratio(logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Return the margin as a share of the distance between high logits, which no scale of the logits changes.

    The targeted form compares the target with the true class alone (arXiv:2003.01690).
    """
    classes, needed = logits.shape[1], 3 if targets is None else 4
    if classes < needed:
        raise Unsupported(f"the DLR loss compares {needed} logits, and the model has {classes} classes: use margin.")
    ordered = logits.sort(1, descending=True).values
    if targets is None:
        return margin(logits, labels, None) / (ordered[:, 0] - ordered[:, 2]).clamp(min=1e-12)
    lead = (_of(logits, targets) - _of(logits, labels)).squeeze(1)
    return lead / (ordered[:, 0] - (ordered[:, 2] + ordered[:, 3]) / 2).clamp(min=1e-12)


LOSSES: dict[LossName, Loss] = {"ce": cross_entropy, "margin": margin, "dlr": difference_of_logits_ratio}


def _of(logits: Tensor, classes: Tensor) -> Tensor:
    return logits.gather(1, classes.unsqueeze(1))


def _apart(logits: Tensor, classes: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logit of one class, (N,), and those of all others, (N, K) with minus infinity in its place."""
    chosen = F.one_hot(classes, logits.shape[1]).bool()
    return _of(logits, classes).squeeze(1), logits.masked_fill(chosen, float("-inf"))
