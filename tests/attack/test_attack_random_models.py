"""Models that answer at random: what is left of them is what fresh draws say, and no unlucky one."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from attack_setups import HALF, images, trained
from torch import Tensor, nn
from torch.nn import functional as F

import stillproof
from stillproof.attack.apgd import APGD
from stillproof.attack.autoattack import AutoAttack
from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.random_models import majority, mostly_fooled, right_share
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.base.transfer import judge, transfer_attack
from stillproof.attack.base.victim import Model
from stillproof.attack.bench.run import nearness
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.score import outcome_summary

NOISE = 0.65  # takes the network to about three images in four
ONE_ANSWER = Rules(keep_images=True, draws=0)


class Noisy(nn.Module):
    """The network behind noise that is always there."""

    def __init__(self) -> None:
        super().__init__()
        self.steady = trained()

    def forward(self, pixels: Tensor) -> Tensor:
        logits: Tensor = self.steady(pixels + NOISE * torch.randn_like(pixels))
        return logits


def made(attack: str, model: Model, count: int = 40, rules: Rules | None = None) -> Outcome:
    rules = rules or Rules(keep_images=True)
    return run_attack(attack_of(attack), model, *images(count), ctx=Context(Seeds(0)), rules=rules)


def right_in_fresh_draws(model: Model, shown: Tensor | None = None, count: int = 40) -> float:
    clean, labels = images(count)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(1)
        answers = [model(clean if shown is None else shown).argmax(1) == labels for _ in range(50)]
    return torch.stack(answers).float().mean().item()


def test_a_change_that_is_none_costs_no_accuracy() -> None:
    model = Noisy()
    clean = right_in_fresh_draws(model)
    found = made("pgd:eps=1e-6", model)
    assert 0.65 < clean < 0.85
    assert found.robust_accuracy == pytest.approx(clean, abs=0.04)
    assert found.clean_accuracy == pytest.approx(clean, abs=0.04)
    assert made("pgd:eps=1e-6", model, rules=ONE_ANSWER).robust_accuracy < 0.5, "one unlucky draw of twelve"


@pytest.mark.parametrize("name", [f"eotpgd:eps={HALF}", f"apgd:samples=3:steps=5:eps={HALF}", "fmn:steps=15"])
def test_what_is_said_is_what_its_own_images_give(name: str) -> None:
    model = Noisy()
    found = made(name, model)
    assert found.robust_accuracy == pytest.approx(right_in_fresh_draws(model, found.images), abs=0.06)
    assert found.robust_accuracy < found.clean_accuracy - 0.1, "and the attack does something"


def test_nothing_leaves_early_and_images_go_by_the_majority() -> None:
    found = made(f"pgd:eps={HALF}", Noisy())
    assert (found.forwards == 12).all() and (found.backwards == 10).all(), "questions of the judge do not count"
    assert found.draws is not None and found.right_share is not None and found.clean_share is not None
    assert (found.draws == 20).all()
    assert torch.equal(found.fooled, found.right_share <= 0.5)
    assert torch.equal(found.robust, (found.clean_share > 0.5) & (found.right_share > 0.5))
    assert found.robust.dtype == torch.bool and 0 < found.robust.float().mean() < 1
    assert torch.equal(found.first_success == -1, ~found.fooled)


def test_transferred_images_are_judged_by_fresh_draws_too() -> None:
    model, steady = Noisy(), trained()
    pixels, labels = images(40)
    attack, ctx = attack_of("pgd:eps=1e-6"), Context(Seeds(0))
    made, judged = transfer_attack(attack, steady, {"noisy": model, "steady": steady}, pixels, labels, ctx=ctx)
    noisy = judged["noisy"]
    assert noisy.clean_share is not None and noisy.right_share is not None
    assert len(set(noisy.right_share.tolist())) > 5, "one draw would know 0 and 1 alone"
    assert noisy.robust_accuracy == pytest.approx(right_in_fresh_draws(model), abs=0.04)
    assert torch.equal(noisy.predictions == labels, noisy.right_share > 0.5)
    assert judged["steady"].right_share is None and judged["steady"].robust_accuracy == made.robust_accuracy


def test_a_judge_refuses_labels_that_the_model_does_not_know() -> None:
    steady, (pixels, labels) = trained(), images(4)
    with pytest.raises(BadInput, match="label 3, which is not a class of a model with 2"):
        judge(lambda shown: steady(shown)[:, :2], pixels, torch.full_like(labels, 3), Context(Seeds(0)), draws=0)


def test_images_that_no_change_turns_are_given_back() -> None:
    found = made(f"square:gives_back=true:queries=20:eps={HALF}", Noisy())
    assert found.images is not None
    unchanged = (found.images == images(40)[0]).flatten(1).all(1)
    right = found.clean_right  # what is wrong before stays so, whatever comes back
    assert torch.equal(unchanged[right], ~found.fooled[right]) and unchanged.any() and not unchanged.all()
    assert found.right_share is not None and found.clean_share is not None
    assert torch.equal(found.right_share[unchanged], found.clean_share[unchanged])


def test_a_model_of_half_precision_is_attacked() -> None:
    steady = trained()

    def halved(pixels: Tensor) -> Tensor:
        logits: Tensor = steady(pixels).half()
        return logits

    found, whole = made(f"pgd:eps={HALF}", halved), made(f"pgd:eps={HALF}", steady)
    assert found.draws is None
    assert found.robust_accuracy == pytest.approx(whole.robust_accuracy, abs=0.05)


def test_votes_decide_by_more_than_half() -> None:
    votes, labels = torch.tensor([[11, 9, 0], [10, 10, 0], [9, 6, 5]]), torch.zeros(3).long()
    assert majority(votes, labels).tolist() == [0, 1, 1]
    assert right_share(votes, labels).tolist() == pytest.approx([0.55, 0.5, 0.45])
    assert mostly_fooled(votes, labels, None).tolist() == [False, True, True]
    assert mostly_fooled(votes, labels, torch.ones(3).long()).tolist() == [False, False, False]


@pytest.mark.parametrize("name", [f"pgd:eps={HALF}", f"apgd-dlr:steps=5:eps={HALF}", "fmn:steps=10", "none"])
def test_a_model_that_always_answers_alike_is_attacked_as_if_nobody_had_looked(name: str) -> None:
    usual, unasked = made(name, trained(), 20), made(name, trained(), 20, ONE_ANSWER)
    assert usual.draws is None and usual.right_share is None
    for field in dataclasses.fields(Outcome):
        one, other = getattr(usual, field.name), getattr(unasked, field.name)
        if isinstance(one, Tensor):
            assert torch.equal(one, other), field.name
    state = torch.get_rng_state()
    made(name, Noisy(), 8)
    assert torch.equal(torch.get_rng_state(), state), "torch's generator is put back"


def test_layers_in_training_mode() -> None:
    """Dropout draws; batch norms alone give the same answer to the same batch."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 10))

    def dropped(pixels: Tensor) -> Tensor:
        logits: Tensor = trained()(F.dropout(pixels, 0.5))
        return logits

    assert made("fgsm", dropped, 20).draws is not None
    assert made("fgsm", lambda pixels: net.train()(pixels), 20).draws is None
    assert made("fgsm", nn.Sequential(nn.Dropout(0.5), net).train(), 20).draws is None, "a module is put into eval mode"


def test_an_answer_for_ones_own_model_says_how_often_it_was_asked() -> None:
    found = stillproof.attack(Noisy(), *images(20), attack="pgd:steps=2", eps=HALF)
    assert found.outcomes is not None and found.draws == found.as_dict()["draws"] == 20
    assert found.robust_accuracy == pytest.approx(found.outcomes["right_share"].mean())
    assert found.outcomes["robust"].dtype == bool and found.summary()["robust_accuracy"] == found.robust_accuracy
    assert "means over 20 fresh draws" in repr(found)
    steady = stillproof.attack(trained(), *images(5), attack="pgd:steps=1", eps=HALF)
    assert steady.draws == 0 and "fresh draws" not in repr(steady)


def test_accuracies_are_means_of_shares() -> None:
    flags = {"clean_right": [True, True], "robust": [True, False], "success": [False, True]}
    found = outcome_summary({**flags, "clean_share": [0.9, 0.8], "right_share": [0.75, 0.25]})
    assert (found["clean_accuracy"], found["robust_accuracy"]) == pytest.approx((0.85, 0.5))
    assert found["success_rate"] == 0.5


def test_the_bench_goes_by_the_majority() -> None:
    model, (pixels, labels) = Noisy(), images(10)
    found = nearness("pgd", model, pixels, labels, norm="Linf", budget=100, ctx=Context(Seeds(0)))
    assert found.draws == 20
    turned = found.clean_right & found.distances.isfinite()
    assert turned.any() and found.distances[turned].min() > 1e-3, "an unlucky draw would be enough at any distance"


def test_apgd_goes_up_the_mean_of_several_gradients() -> None:
    found = made(f"apgd:samples=4:steps=3:eps={HALF}", Noisy(), 10)
    assert (found.backwards == 12).all() and APGD(steps=3, samples=4).passes == 1 + 24 + 1
    with pytest.raises(ValueError, match="samples must be at least 1"):
        APGD(samples=0)


def test_autoattack_for_models_that_answer_at_random() -> None:
    attack = attack_of(f"autoattack:version=rand:steps=2:eps={HALF}")
    assert isinstance(attack, AutoAttack)
    parts = attack.parts()
    assert list(parts) == ["apgd-ce", "apgd-dlr"]
    assert all(isinstance(part, APGD) and part.samples == 20 for part in parts.values())
    found = run_attack(attack, Noisy(), *images(10), ctx=Context(Seeds(0)))
    assert (found.backwards == 2 * 2 * 20).all() and found.robust_accuracy < found.clean_accuracy
