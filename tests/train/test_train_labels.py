from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.types import Hard, Stored
from stillproof.train.labels import Form, from_logits, in_form
from stillproof.train.objectives.cross_entropy import CrossEntropy
from stillproof.train.objectives.kl import Divergence
from stillproof.train.objectives.mse import SquaredError

HARD = Hard(torch.tensor([2, 0]))
LOGITS = Stored("logits", torch.tensor([[0.0, 1.0, 3.0], [2.0, -1.0, 0.0]]))
PROBS = Stored("probs", torch.tensor([[0.1, 0.2, 0.7], [0.8, 0.1, 0.1]]))
CENTRED = Stored("centred", torch.tensor([[-1.0, -1.0, 2.0], [2.0, -1.0, -1.0]]) / 3)
FORMS: tuple[Form, ...] = ("classes", "shares", "values")
ONE_HOT = torch.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


def drawn(seed: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(4, 3, generator=generator), torch.randn(4, 3, generator=generator).softmax(1)


def test_hard_labels_are_classes_or_one_hot() -> None:
    assert torch.equal(in_form(HARD, "shares", 3), ONE_HOT)
    assert torch.equal(in_form(HARD, "classes", 3), HARD.values)
    assert torch.equal(in_form(HARD, "values", 3), ONE_HOT)


def test_logits_become_probabilities_in_every_other_form() -> None:
    expected = LOGITS.values.exp() / LOGITS.values.exp().sum(1, keepdim=True)
    for form in FORMS:
        torch.testing.assert_close(in_form(LOGITS, form, 3), expected)
        assert torch.equal(from_logits(LOGITS.values, form), in_form(LOGITS, form, 3))


def test_probabilities_stay_as_they_are_in_every_form_but_logits() -> None:
    for form in FORMS:
        assert torch.equal(in_form(PROBS, form, 3), PROBS.values)


def test_centred_labels_are_probabilities_again_unless_values_are_wanted() -> None:
    torch.testing.assert_close(in_form(CENTRED, "shares", 3), ONE_HOT)
    torch.testing.assert_close(in_form(CENTRED, "classes", 3), ONE_HOT)
    assert torch.equal(in_form(CENTRED, "values", 3), CENTRED.values)


def test_every_label_can_be_given_as_logits_of_its_probabilities() -> None:
    assert torch.equal(in_form(LOGITS, "logits", 3), LOGITS.values)
    for labels, expected in ((HARD, ONE_HOT), (PROBS, PROBS.values), (CENTRED, ONE_HOT)):
        torch.testing.assert_close(in_form(labels, "logits", 3).softmax(1), expected)


def test_kl_of_hard_labels_is_cross_entropy_with_finite_gradients() -> None:
    logits = drawn(0)[0][:2].requires_grad_()
    loss = Divergence().of_logits(logits, in_form(HARD, "logits", 3))
    torch.testing.assert_close(loss, CrossEntropy().of_logits(logits, HARD.values))
    loss.backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None and bool(logits.grad.isfinite().all())


def test_learned_labels_below_zero_have_no_share_as_logits() -> None:
    learned = Stored("centred", torch.tensor([[-0.5, 0.2, 0.3]]))
    assert in_form(learned, "logits", 3).softmax(1)[0, 0] == 0


def test_the_class_of_a_soft_label_is_its_largest_entry() -> None:
    for labels in (HARD, LOGITS, PROBS, CENTRED):
        assert labels.classes.tolist() == [2, 0]


@given(st.integers(0, 1000))
def test_soft_cross_entropy_is_minus_p_log_q(seed: int) -> None:
    logits, probs = drawn(seed)
    log_q = logits - logits.exp().sum(1, keepdim=True).log()
    torch.testing.assert_close(CrossEntropy().of_logits(logits, probs), -(probs * log_q).sum(1).mean())


def test_hard_cross_entropy_is_the_soft_one_of_one_hot_labels() -> None:
    logits, _ = drawn(0)
    loss = CrossEntropy().of_logits
    torch.testing.assert_close(loss(logits[:2], HARD.values), loss(logits[:2], ONE_HOT))


@given(st.integers(0, 1000))
def test_mse_is_the_mean_over_images_and_classes(seed: int) -> None:
    logits, probs = drawn(seed)
    torch.testing.assert_close(SquaredError().of_logits(logits, probs), ((logits - probs) ** 2).sum() / 12)
