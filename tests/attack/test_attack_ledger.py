"""Which of the changed images that were shown to a model counts."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from stillproof.attack.base.ledger import Answer, Ledger

RIGHT, WRONG = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
ROW = torch.tensor([0])


def shown(answer: Answer, *words: tuple[float, Tensor]) -> Ledger:
    """Show one image, of class 0, with changes of some sizes, and say what the model answers to each."""
    ledger = Ledger(torch.zeros(1, 1, 1, 1), torch.tensor([0]), answer, "L2")
    ledger.forwards += 1
    ledger.begin(RIGHT)
    for size, logits in words:
        ledger.forwards += 1
        ledger.judge(ROW, torch.full((1, 1, 1, 1), size), logits)
    return ledger


@pytest.mark.parametrize(
    ("answer", "kept", "fooled"),
    [("first", 0.5, True), ("last", 0.1, False), ("nearest", 0.3, True)],
)
def test_what_counts_is_as_told(answer: Answer, kept: float, fooled: bool) -> None:
    ledger = shown(answer, (0.2, RIGHT), (0.5, WRONG), (0.3, WRONG), (0.4, WRONG), (0.1, RIGHT))
    assert ledger.images.item() == pytest.approx(kept)
    assert ledger.fooled.item() is fooled and ledger.predictions.item() == int(fooled)
    assert ledger.first_success.item() == 3


@pytest.mark.parametrize(("answer", "kept"), [("first", 0.4), ("last", 0.4), ("nearest", 0.0)])
def test_of_an_image_that_resists_the_last_is_kept_or_the_clean_one(answer: Answer, kept: float) -> None:
    ledger = shown(answer, (0.2, RIGHT), (0.4, RIGHT))
    assert ledger.images.item() == pytest.approx(kept)
    assert not ledger.fooled.item() and ledger.predictions.item() == 0 and ledger.first_success.item() == -1


def test_an_image_that_is_wrong_already_needs_no_change() -> None:
    ledger = Ledger(torch.zeros(1, 1, 1, 1), torch.tensor([1]), "nearest", "L2")
    ledger.forwards += 1
    ledger.begin(RIGHT)
    ledger.judge(ROW, torch.full((1, 1, 1, 1), 0.1), RIGHT)
    assert ledger.fooled.item() and ledger.images.item() == 0 and ledger.first_success.item() == 1
