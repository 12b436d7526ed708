"""Losses that attacks make large."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.losses import (
    LOSSES,
    cross_entropy,
    difference_of_logits_ratio,
    margin,
    usual_cross_entropy,
)
from stillproof.core.errors import Unsupported

LOGITS = torch.tensor([[2.0, 1.0, -1.0, 0.5], [0.0, 3.0, 2.0, -2.0]])
LABELS = torch.tensor([0, 2])
TARGETS = torch.tensor([3, 0])


def test_cross_entropy_is_the_usual_one() -> None:
    assert torch.allclose(cross_entropy(LOGITS, LABELS, None), F.cross_entropy(LOGITS, LABELS, reduction="none"))
    assert torch.allclose(cross_entropy(LOGITS, LABELS, TARGETS), usual_cross_entropy(LOGITS, LABELS, TARGETS))
    assert torch.allclose(cross_entropy(LOGITS, LABELS, None), usual_cross_entropy(LOGITS, LABELS, None))
    aimed = -F.cross_entropy(LOGITS, TARGETS, reduction="none")
    assert torch.allclose(cross_entropy(LOGITS, LABELS, TARGETS), aimed)


def test_cross_entropy_keeps_a_gradient_where_the_usual_one_has_lost_it() -> None:
    def gradient(loss: Tensor, at: Tensor) -> float:
        return torch.autograd.grad(loss.sum(), at)[0].abs().max().item()

    logits = torch.tensor([[40.0, 0.0, -1.0]], requires_grad=True)
    label = torch.tensor([0])
    assert gradient(F.cross_entropy(logits, label), logits) < 1e-15
    assert gradient(cross_entropy(logits, label, None), logits) > 1e-18
    own = torch.autograd.grad(cross_entropy(logits, label, None).sum(), logits)[0][0, 0]
    assert own < 0, "the true class loses"


def test_the_margin_is_above_zero_just_where_the_model_is_fooled() -> None:
    assert torch.equal(margin(LOGITS, LABELS, None), torch.tensor([-1.0, 1.0]))
    assert torch.equal(margin(LOGITS, LABELS, TARGETS), torch.tensor([-1.5, -3.0]))


def test_the_ratio_of_differences_does_not_change_with_the_scale_of_logits() -> None:
    assert torch.allclose(difference_of_logits_ratio(LOGITS, LABELS, None), torch.tensor([-1 / 1.5, 1 / 3]))
    # Towards the target from the true class alone, over the highest logit less the mean of the third and fourth.
    wanted = torch.tensor([(0.5 - 2.0) / (2.0 - (0.5 - 1.0) / 2), (0.0 - 2.0) / (3.0 - (0.0 - 2.0) / 2)])
    assert torch.allclose(difference_of_logits_ratio(LOGITS, LABELS, TARGETS), wanted)
    for targets in (None, TARGETS):
        scaled = difference_of_logits_ratio(100 * LOGITS, LABELS, targets)
        assert torch.allclose(scaled, difference_of_logits_ratio(LOGITS, LABELS, targets))


@pytest.mark.parametrize(("classes", "targets"), [(2, None), (3, TARGETS)])
def test_too_few_classes_for_a_ratio_are_unsupported(classes: int, targets: Tensor | None) -> None:
    with pytest.raises(Unsupported, match=rf"the model has {classes} classes: use margin"):
        difference_of_logits_ratio(LOGITS[:, :classes], torch.zeros(2, dtype=torch.long), targets)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_grows_towards_a_target_and_away_from_the_truth(name: str) -> None:
    loss = LOSSES[name]  # type: ignore[index]
    better = LOGITS.clone()
    better[torch.arange(2), TARGETS] += 0.1
    assert (loss(better, LABELS, TARGETS) > loss(LOGITS, LABELS, TARGETS)).all()
    worse = LOGITS.clone()
    worse[torch.arange(2), LABELS] -= 0.1
    assert (loss(worse, LABELS, None) > loss(LOGITS, LABELS, None)).all()
