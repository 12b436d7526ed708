"""The ratio of differences of logits, and what stands in for it where a model has too few classes."""

from __future__ import annotations

import logging

from torch import Tensor

from stillproof.attack.base.losses import difference_of_logits_ratio, margin
from stillproof.attack.base.victim import FEW_CLASSES, Victim

log = logging.getLogger("stillproof")
NEEDED, NEEDED_WITH_TARGET = 3, 4  # classes


def ratio_where_possible(logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Return the ratio; with too few classes for it the difference alone, which is of the same sign.

    Attacks whose steps do not depend on the size of a gradient lose little by that: only the scale of logits, which
    the ratio takes out, is left in.
    """
    if enough(logits, targets):
        return difference_of_logits_ratio(logits, labels, targets)
    if targets is None:
        return margin(logits, labels, None)
    return (logits.gather(1, targets.unsqueeze(1)) - logits.gather(1, labels.unsqueeze(1))).squeeze(1)


def enough(logits: Tensor, targets: Tensor | None) -> bool:
    """Say whether there are classes enough for the ratio."""
    return logits.shape[1] >= (NEEDED if targets is None else NEEDED_WITH_TARGET)


def note_few_classes(victim: Victim, logits: Tensor, targets: Tensor | None) -> None:
    """Say once, and keep with the result, that another loss stands in for the ratio."""
    if enough(logits, targets) or FEW_CLASSES in victim.notes:
        return
    needed = NEEDED if targets is None else NEEDED_WITH_TARGET
    said = (
        f"the model has {logits.shape[1]} classes and the DLR loss compares {needed} logits: "
        "the plain difference of logits stands in for it."
    )
    victim.notes[FEW_CLASSES] = said
    log.warning("%s", said)
