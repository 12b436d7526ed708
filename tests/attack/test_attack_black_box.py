"""SPSA and OnePixel: no gradient is asked, and what they change is limited."""

from __future__ import annotations

import pytest
import torch
from attack_setups import HALF, attacked, images, trained
from torch import Tensor

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.spsa import SPSA
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds

BLACK_BOX = [f"spsa:eps={HALF}:lr=0.03:steps=3:samples=32", "onepixel:pixels=10:popsize=12"]


def asked_without_gradients(pixels: Tensor) -> Tensor:
    assert not pixels.requires_grad and not torch.is_grad_enabled()
    assert pixels.min() >= 0 and pixels.max() <= 1
    logits: Tensor = trained()(pixels)
    return logits


@pytest.mark.parametrize("name", BLACK_BOX)
def test_no_gradient_is_asked_and_every_question_counts(name: str) -> None:
    trained()  # beforehand, since it needs gradients itself
    pixels, labels = images(20)
    rules = Rules(early_exit=False)
    attack = attack_of(name)
    found = run_attack(attack, asked_without_gradients, pixels, labels, ctx=Context(Seeds(0)), rules=rules)
    assert not found.backwards.any() and (found.forwards == attack.passes).all()


@pytest.mark.parametrize("name", BLACK_BOX)
def test_images_are_lost_and_early_exit_and_batches_change_nothing(name: str) -> None:
    whole = attacked(name, 40)
    assert whole.success.any()  # how many depends on the rounding that the network was trained with
    slow = attacked(name, 40, rules=Rules(early_exit=False, keep_images=True), batch=17)
    assert torch.equal(whole.fooled, slow.fooled) and whole.forwards.sum() < slow.forwards.sum()
    assert whole.images is not None and slow.images is not None
    assert (whole.images - slow.images)[whole.fooled].abs().max() < 1e-5


def test_the_estimated_slope_points_where_the_gradient_does() -> None:
    weights = torch.tensor([1.0, -1.0, -1.0, 1.0] * 4)

    def model(pixels: Tensor) -> Tensor:
        grown = pixels.flatten(1) @ weights
        return torch.stack([torch.full_like(grown, 9.0), grown], 1)

    grey = torch.full((1, 1, 4, 4), 0.5)
    rules = Rules(keep_images=True, early_exit=False)
    attack = SPSA(eps=0.02, lr=0.02, samples=512)
    found = run_attack(attack, model, grey, torch.tensor([0]), ctx=Context(Seeds(0)), rules=rules)
    assert found.images is not None
    moved = (found.images - grey).flatten()
    assert torch.equal(moved.sign(), weights.sign()) and moved.abs().max() <= 0.02 + 1e-6


@pytest.mark.parametrize("pixels", [1, 3])
def test_no_more_pixels_change_than_are_allowed(pixels: int) -> None:
    found = attacked(f"onepixel:pixels={pixels}:steps=5", 40, rules=Rules(keep_images=True, answer="last"))
    assert found.images is not None
    changed = (found.images != images(40)[0]).any(1).flatten(1).sum(1)
    assert changed.max() == pixels
    assert found.images.min() >= 0 and found.images.max() <= 1


def test_generations_make_candidates_better() -> None:
    lost = [attacked(f"onepixel:pixels=4:steps={steps}", 100).success.sum() for steps in (0, 15)]
    assert lost[0] < lost[1]


def test_targets_are_aimed_at() -> None:
    found = attacked("spsa:eps=0.3:lr=0.1:steps=6:samples=32", 20, target="next")
    assert found.targets is not None and found.fooled.sum() > 5
    assert torch.equal(found.predictions[found.fooled], found.targets[found.fooled])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("spsa:samples=0", "samples = 0 leaves no budget to ask the model"),
        ("spsa:steps=0", "steps = 0 leaves no budget to ask the model"),
        ("spsa:delta=0", "delta must be above 0, not 0"),
        ("onepixel:popsize=0", "popsize = 0 and steps = 10 leave no budget to ask the model"),
        ("onepixel:pixels=0", "pixels must be at least 1, not 0"),
        ("onepixel:popsize=2", "popsize = 2 is too small to evolve: it must be at least 3"),
    ],
)
def test_an_empty_budget_is_one_sentence(name: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_of(name)
    assert said in str(caught.value) and "\n" not in str(caught.value)
