"""APGD: when steps become shorter, where images go on then, and what it does with few classes."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
import torch
from attack_setups import HALF, attacked

from stillproof.attack.apgd import checked, checkpoints, noted
from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.run import run_attack
from stillproof.attack.stepping.walk import Walk
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.score.robust_curve import robust_curve


def test_progress_is_looked_at_ever_more_often() -> None:
    assert checkpoints(100) == [22, 41, 57, 70, 80, 87, 93, 99]
    assert checkpoints(1) == [] and checkpoints(2) == [1]
    for steps in range(1, 60):
        found = checkpoints(steps)
        assert found == sorted(set(found)) and all(0 < at < steps for at in found)


def walked(losses: list[list[float]]) -> Walk:
    """Return images on their way, whose losses at each step are given, by image; a point is the step's number."""
    walk = Walk(cast(Any, None), torch.zeros(len(losses), 1, 1, 1))
    for number, now in enumerate(zip(*losses, strict=True)):
        walk.number = number
        walk.points = torch.full_like(walk.points, number)
        noted(walk, walk.points + 100, torch.tensor(now), step=2.0)
    return walk


def test_steps_are_halved_where_the_loss_grows_too_seldom() -> None:
    growing, swinging = [float(n) for n in range(23)], [0.0, 1.0] * 11 + [0.0]
    walk = walked([growing, swinging])
    gradient = checked(walk, walk.points + 100, steps=100, rho=0.75)
    assert walk.memory["step"].tolist() == [2.0, 1.0]
    assert walk.points.flatten().tolist() == [22.0, 1.0], "back to the best, the first if there are several"
    assert gradient.flatten().tolist() == [122.0, 101.0]
    assert walk.memory["grew"].tolist() == [0.0, 0.0]


def test_steps_are_halved_where_nothing_better_was_found_since_they_were_left_as_they_were() -> None:
    # From the first to the second time the loss grows in most steps, but only back to where it was.
    losses = [float(n) for n in range(23)] + [float(n) for n in range(4, 23)]
    walk = Walk(cast(Any, None), torch.zeros(1, 1, 1, 1))
    for number, loss in enumerate(losses):
        walk.number = number
        noted(walk, walk.points, torch.tensor([loss]), step=2.0)
        checked(walk, walk.points, steps=100, rho=0.75)
        assert walk.memory["step"].item() == (2.0 if number < 41 else 1.0)


def test_other_steps_are_no_checkpoints() -> None:
    walk = walked([[0.0, 0.0, 0.0]])
    gradient = torch.ones(1, 1, 1, 1)
    assert torch.equal(checked(walk, gradient, steps=100, rho=0.75), gradient)
    assert walk.memory["step"].item() == 2.0 and walk.points.item() == 2.0


def test_it_loses_no_fewer_images_than_pgd_and_aiming_loses_no_fewer_than_that() -> None:
    pgd, ce, aimed = (
        attacked(f"{name}:eps={HALF}", 50) for name in ("pgd:steps=12", "apgd:steps=12", "apgd-t:steps=12")
    )
    assert aimed.robust_accuracy <= ce.robust_accuracy <= pgd.robust_accuracy
    assert aimed.robust_accuracy > 0.1
    assert aimed.targets is None and (aimed.forwards[aimed.robust] == 1 + 9 * 13).all()
    assert aimed.linf.max() <= HALF * (1 + 1e-5)


def columns(classes: int) -> Any:
    """Return a model that looks for the brightest of the first columns of pixels."""
    return lambda pixels: pixels.mean((1, 2))[:, :classes]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ["apgd-dlr", "apgd-t"])
def test_with_few_classes_the_plain_difference_stands_in_and_that_is_noted(name: str, classes: int) -> None:
    pixels, ctx = torch.tensor([0.6, 0.4, 0.3, 0.2]).expand(2, 1, 4, 4), Context(Seeds(0))
    attack = attack_of(name, {"eps": 0.15, "steps": 10})
    made = run_attack(attack, columns(classes), pixels, torch.zeros(2).long(), ctx=ctx)
    assert made.fooled.all()
    too_few = classes < (4 if name == "apgd-t" else 3)
    assert ("few_classes" in ctx.notes) == too_few
    if too_few:
        assert f"the model has {classes} classes and the DLR loss compares" in ctx.notes["few_classes"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("apgd:steps=0", "steps must be at least 1, not 0"),
        ("apgd:restarts=0", "restarts must be at least 1, not 0"),
        ("apgd:rho=1", "rho must lie between 0 and 1, not at 1"),
        ("apgd-t:classes=0", "classes must be at least 1, not 0"),
        ("apgd:norm=L1", "norm = 'L1' is not allowed"),
    ],
)
def test_a_search_that_leads_nowhere_is_refused(name: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_of(name)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["apgd:steps=5:eps=0.05", "apgd:steps=5:norm=L2:eps=3", "pgd-l1:steps=5:eps=12"])
def test_a_curve_of_its_sizes_has_all_that_it_found_at_its_own_radius(name: str) -> None:
    attack, found = attack_of(name), attacked(name, 100)
    assert attack.radius is not None and found.success.sum() >= 20
    sizes = {"Linf": found.linf, "L2": found.l2, "L1": found.l1}[attack.measured_in].numpy()
    away = np.where(found.success, sizes, np.inf)
    (point,) = robust_curve(away, found.clean_right.numpy(), [attack.radius])
    assert point.robust == pytest.approx(found.robust_accuracy)
