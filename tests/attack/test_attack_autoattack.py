"""AutoAttack: four attacks in order, each on what is left, and its warnings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from attack_setups import HALF, attacked, images, trained
from torch import Tensor

import stillproof
from stillproof.attack.autoattack import AutoAttack, _warn_of_square
from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.run import run_attack
from stillproof.attack.base.victim import Victim
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds

QUICK = {"eps": HALF, "steps": 15, "classes": 3, "queries": 60}


def test_its_parts_are_those_of_the_paper() -> None:
    parts = AutoAttack(0.1).parts()
    assert list(parts) == ["apgd-ce", "apgd-t", "fab-t", "square"]
    assert attack_of("apgd-ce:eps=0.1") == parts["apgd-ce"] and attack_of("apgd-t:eps=0.1") == parts["apgd-t"]
    assert attack_of("fab-t") == parts["fab-t"]
    assert attack_of("square:eps=0.1:rescaled=false") == parts["square"]
    assert AutoAttack().passes == 2 + 201 + 9 * 201 + 9 * 300 + 5001


def test_what_withstands_it_withstands_each_part_and_costs_them_all() -> None:
    attack = attack_of("autoattack", QUICK)
    whole = attacked(attack, 60)
    alone = [attacked(part, 60) for name, part in attack.parts().items() if name != "fab-t"]  # type: ignore[attr-defined]
    for part in alone:
        assert part.robust_accuracy >= whole.robust_accuracy
    assert 0.1 < whole.robust_accuracy < alone[-1].robust_accuracy
    passes = whole.forwards + whole.backwards
    assert (passes[whole.robust] == attack.passes).all()
    assert (passes[~whole.clean_right] == 1).all()
    assert torch.equal(passes[whole.success], whole.first_success[whole.success])
    assert whole.linf.max() <= HALF * (1 + 1e-5)


def test_the_nearest_change_outside_the_ball_is_no_success() -> None:
    """FAB crosses borders that lie further away than eps."""
    made = attacked(attack_of("autoattack", {**QUICK, "eps": 1e-4}), 20)
    assert torch.equal(made.robust, made.clean_right) and made.linf.max() <= 1.01e-4


def test_a_model_that_answers_at_random_is_told_of() -> None:
    def noisy(pixels: Tensor) -> Tensor:
        said: Tensor = trained()(pixels)
        return said + torch.randn_like(said)

    ctx = Context(Seeds(0))
    run_attack(attack_of("autoattack", {**QUICK, "queries": 5}), noisy, *images(10), ctx=ctx)
    assert "the model answers at random (" in ctx.notes["warnings"]["random"]
    told = stillproof.attack(noisy, *images(4), attack="autoattack:steps=1:classes=2:queries=2", eps=HALF)
    assert told.warnings and f"Warning about autoattack:steps=1:classes=2:queries=2: {told.warnings[0]}" in repr(told)


def test_it_says_if_the_attack_without_gradients_finds_more() -> None:
    def masked(pixels: Tensor) -> Tensor:
        logits: Tensor = trained()(pixels.detach())
        return logits + 0 * pixels.flatten(1).sum(1, keepdim=True)

    ctx = Context(Seeds(0))
    made = run_attack(attack_of("autoattack", {**QUICK, "eps": 0.2}), masked, *images(30), ctx=ctx)
    assert made.robust_accuracy < 0.5
    assert "the model may be less robust than it seems: Square" in ctx.notes["warnings"]["square"]
    fine = Context(Seeds(0))
    run_attack(attack_of("autoattack", {**QUICK, "eps": 0.2}), trained(), *images(30), ctx=fine)
    assert not fine.notes["warnings"]


def test_a_warning_is_of_all_batches_and_is_taken_back_where_they_make_it_harmless() -> None:
    victim, said = Victim(trained()), []
    crafting: Any = SimpleNamespace(victim=victim, ledger=SimpleNamespace(labels=torch.zeros(32)))
    for found in (1, 1, *[0] * 40):
        _warn_of_square(crafting, found)
        said.append(victim.notes["warnings"].get("square", ""))
    assert not said[0] and "(2 of 64)" in said[1]
    assert "of 992)" in said[30] and not any(said[31:]), "0.2 % of 1024 are more than two"


def test_it_is_called_like_any_other_attack() -> None:
    found = stillproof.attack(trained(), *images(10), attack="autoattack:steps=3:classes=2:queries=5", eps=HALF)
    assert found.attack == "autoattack" and found.eps == HALF and found.norm == "Linf"
    assert found.robust_accuracy is not None and found.robust_accuracy < 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("autoattack:queries=0", "queries must be at least 1, not 0"),
        ("autoattack:steps=0", "steps must be at least 1, not 0"),
        ("autoattack:classes=0", "classes must be at least 1, not 0"),
        ("autoattack:norm=L1", "norm = 'L1' is not allowed"),
    ],
)
def test_a_budget_of_nothing_is_refused(name: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_of(name)
    assert said in str(caught.value)
