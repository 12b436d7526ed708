"""FMN and DDN: they end at the nearest point behind a border, and one run gives the whole curve."""

from __future__ import annotations

import pytest
import torch
from attack_setups import attacked, images, trained
from test_attack_leaves import GREY, WEIGHTS, Linear
from torch import Tensor

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.norms import Norm, sizes
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.projection import nearest
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.minimal_norm import falling, into_balls, inward, to_border
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds

NEAREST = ["fmn", "fmn-l2", "fmn-l1", "ddn"]
AWAY: dict[Norm, float] = {"Linf": 0.5 / 7, "L2": 0.1, "L1": 0.5 / 4}  # of a border 0.5 below, with slopes 3 and -4


def on_line(name: str, image: Tensor = GREY, bias: float = 0.0, seed: int = 0) -> Outcome:
    rules = Rules(keep_images=True)
    model = Linear(WEIGHTS, bias)
    return run_attack(attack_of(name), model, image, torch.tensor([0]), ctx=Context(Seeds(seed)), rules=rules)


def size_of(outcome: Outcome, norm: Norm) -> Tensor:
    return {"Linf": outcome.linf, "L2": outcome.l2, "L1": outcome.l1}[norm]


@pytest.mark.parametrize("name", NEAREST)
def test_a_straight_border_is_met_where_it_is_nearest(name: str) -> None:
    found, norm = on_line(f"{name}:steps=300"), attack_of(name).measured_in
    assert found.fooled.all() and size_of(found, norm).item() == pytest.approx(AWAY[norm], rel=0.01)
    assert found.forwards.item() == 302 and found.backwards.item() == 300
    assert found.forwards.item() + found.backwards.item() == attack_of(f"{name}:steps=300").passes


@pytest.mark.parametrize("name", ["fmn", "fmn-l2", "fmn-l1"])
def test_black_pixels_do_not_hide_the_border(name: str) -> None:
    """The steepest way leads out of the range at once; what is left of it leads to the border all the same."""
    dark = torch.tensor([0.0, 0.0, 0.5, 0.5]).view(1, 1, 2, 2)
    found = on_line(f"{name}:steps=200", dark, bias=-1.5)  # only the first value can move: by 1.5 / 3
    assert found.fooled.all() and found.l1.item() == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize("name", NEAREST)
def test_few_steps_do_little_and_more_come_nearer(name: str) -> None:
    norm = attack_of(name).measured_in
    few, many = (attacked(f"{name}:steps={steps}", 60) for steps in (10, 60))
    both = few.success & many.success
    assert both.sum() > 40 and many.success.sum() >= few.success.sum()
    assert size_of(many, norm)[both].mean() < size_of(few, norm)[both].mean()


@pytest.mark.parametrize("name", NEAREST)
def test_targets_are_met(name: str) -> None:
    found = attacked(f"{name}:steps=40", 30, target="next")
    assert found.targets is not None and found.fooled.float().mean() > 0.9
    assert torch.equal(found.predictions[found.fooled], found.targets[found.fooled])


def test_quantised_images_have_only_the_values_of_a_picture() -> None:
    pixels, labels = images(30)
    pixels = (pixels * 255).round() / 255
    rules = Rules(keep_images=True)
    attack = attack_of("ddn:steps=40:levels=256")
    found = run_attack(attack, trained(), pixels, labels, ctx=Context(Seeds(0)), rules=rules)
    assert found.images is not None and found.success.any()
    steps = found.images * 255
    assert (steps - steps.round()).abs().max() < 1e-3


def test_ddn_finds_a_way_where_there_is_no_gradient() -> None:
    class Step(Linear):
        def forward(self, pixels: Tensor) -> Tensor:
            return super().forward((16 * pixels).round() / 16)

    model = Step(WEIGHTS, 0.0)
    found = run_attack(attack_of("ddn"), model, GREY, torch.tensor([0]), ctx=Context(Seeds(0)))
    assert found.no_gradient.all() and found.fooled.all()


@pytest.mark.parametrize("norm", ["Linf", "L2", "L1"])
def test_balls_of_many_radii_are_the_same_as_one_by_one(norm: Norm) -> None:
    generator = torch.Generator().manual_seed(0)
    changes = torch.randn(20, 1, 5, 5, generator=generator)
    radii = torch.rand(20, generator=generator) * {"Linf": 2.0, "L2": 8.0, "L1": 30.0}[norm]
    found = into_balls(changes, norm, radii)
    assert (sizes(found, norm) <= radii * (1 + 1e-5)).all()
    for change, radius, got in zip(changes, radii, found, strict=True):
        flat = change.flatten().unsqueeze(0)
        if norm == "Linf":
            expected = flat.clamp(-radius, radius)
        else:
            expected = flat.sign() * nearest(flat.abs(), torch.full_like(flat, 100.0), norm, radius.item())
        assert torch.allclose(got.flatten(), expected.flatten(), atol=1e-5)


def test_distances_to_borders_and_schedules() -> None:
    slope = torch.tensor([3.0, -4.0]).view(1, 1, 1, 2)
    away = {norm: to_border(torch.tensor([-0.5]), slope, norm).item() for norm in AWAY}
    assert away == pytest.approx(AWAY, rel=1e-4)
    low, high = torch.zeros_like(slope), torch.ones_like(slope)
    assert inward(slope, torch.tensor([1.0, 0.5]).view(1, 1, 1, 2), low, high).flatten().tolist() == [0, -4]
    assert falling(1.0, 0.0, 0, 10) == 1.0 and falling(1.0, 0.0, 5, 10) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fmn:steps=0", "steps must be at least 1, not 0"),
        ("fmn:last_step=2", "last_step = 2 must be above 0, and step = 1 no smaller"),
        ("fmn:shrink=1", "shrink = 1 must be below 1"),
        ("ddn:steps=0", "steps = 0 must be at least 1"),
        ("ddn:levels=1", "levels must be at least 2, not 1"),
        ("ddn:shrink=0", "shrink must be above 0 and below 1, not 0"),
    ],
)
def test_what_leads_nowhere_is_refused(name: str, said: str) -> None:
    with pytest.raises(Exception, match=said):
        attack_of(name)
