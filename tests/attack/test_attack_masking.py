"""Alarms of gradient masking: three ways to hide gradients ring, a sound network does not."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from attack_setups import images, trained
from torch import Tensor, nn

from stillproof.attack.base.norms import Norm
from stillproof.attack.masking.alarms import CHANCE, alarms_of, sign_test
from stillproof.attack.masking.measure import measure
from stillproof.attack.masking.measured import Measured
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds


class Changed(nn.Module):
    """A network that sees something else, or says something else."""

    def __init__(self, model: nn.Module, before: Callable[[Tensor], Tensor] | None = None, after: float = 1.0) -> None:
        super().__init__()
        self.model, self.before, self.after = model, before or (lambda pixels: pixels), after

    def forward(self, pixels: Tensor) -> Tensor:
        logits: Tensor = self.model(self.before(pixels))
        return self.after * logits


def found(model: nn.Module, count: int = 100, eps: float = 0.1, norm: Norm = "Linf") -> Measured:
    pixels, labels = images(count)
    return measure(model, pixels, labels, eps=eps, norm=norm, ctx=Context(Seeds(0)))


@pytest.mark.parametrize(
    ("eps", "norm"),
    [
        (0.1, "Linf"),
        (0.5, "L2"),
        *(pytest.param(*few, marks=pytest.mark.slow) for few in ((8 / 255, "Linf"), (5.0, "L1"))),
    ],
)
def test_a_sound_network_rings_no_alarm(eps: float, norm: Norm) -> None:
    measured = found(trained(), eps=eps, norm=norm)
    assert alarms_of(measured) == [] and measured.right > 90
    assert all(measured.by_unbounded) and sum(measured.by_many_steps) >= sum(measured.by_one_step)


def test_saturated_logits_ring() -> None:
    measured = found(Changed(trained(), after=1000.0))
    alarms = alarms_of(measured)
    assert f"gradient is zero for {measured.right} of {measured.right} images (1 tolerated), because" in alarms[0]
    assert "the softmax is saturated" in alarms[0] and "upgd:loss=dlr" in alarms[0]
    assert any("withstand 40 steps without a ball" in alarm for alarm in alarms)
    assert any("the loss does not grow" in alarm for alarm in alarms)


def test_a_quantising_front_rings() -> None:
    alarms = alarms_of(found(Changed(trained(), before=lambda pixels: (8 * pixels).round() / 8)))
    assert "although the softmax is not saturated" in alarms[0] and "no slope" in alarms[0]
    assert any("withstand 40 steps" in alarm for alarm in alarms)


@pytest.mark.parametrize("strength", [0.01, 0.2])
def test_a_stochastic_front_rings(strength: float) -> None:
    def noisy(pixels: Tensor) -> Tensor:
        return pixels + strength * torch.randn_like(pixels)

    alarms = alarms_of(found(Changed(trained(), before=noisy)))
    assert any("answers at random" in alarm and "autoattack:version=rand" in alarm for alarm in alarms)


def sound(right: int, **other: list[bool]) -> Measured:
    yes, no = [True] * right, [False] * right
    usual: dict[str, Any] = {
        "by_one_step": yes,
        "by_many_steps": yes,
        "by_noise": no,
        "by_unbounded": yes,
        "no_gradient": no,
        "by_black_box": no,
        "by_steps_at": [[True] * 3] * right,
        "by_nearest_at": [[True] * 3] * right,
    }
    usual |= {"saturated": no, "at_random": no} | other
    usual |= {"loss_after_one": [1.0] * right, "loss_after_many": [2.0] * right, "margins": [3.0] * right}
    return Measured(0.1, "Linf", right, right, **usual)


def some(count: int, of: int) -> list[bool]:
    return [place < count for place in range(of)]


@pytest.mark.parametrize("right", [1, 5, 20, 100, 500])
def test_one_image_rings_no_alarm_however_few_there_are(right: int) -> None:
    assert alarms_of(sound(right)) == []
    one, rest = some(1, right), [not value for value in some(1, right)]
    for name in ("by_noise", "no_gradient", "at_random"):
        assert alarms_of(sound(right, **{name: one})) == [], name
    for name in ("by_many_steps", "by_unbounded"):
        assert alarms_of(sound(right, **{name: rest})) == [], name


@pytest.mark.parametrize(
    ("name", "count", "words"),
    [
        ("no_gradient", 7, "the gradient is zero for 7 of 500 images (5 tolerated)"),
        ("at_random", 6, "for 6 of 500 images; 5 tolerated"),
        ("by_noise", 400, "noise 400, attack 500 of 500 images"),
    ],
)
def test_many_images_ring_and_the_sentence_has_the_numbers(name: str, count: int, words: str) -> None:
    (alarm,) = alarms_of(sound(500, **{name: some(count, 500)}))
    assert words in alarm and "\n" not in alarm and alarm.endswith(".")
    assert alarms_of(sound(500, **{name: some(5, 500)})) == []


def test_more_steps_that_fool_fewer_ring_beyond_chance() -> None:
    weaker = [not value for value in some(7, 20)]
    (alarm,) = alarms_of(sound(20, by_many_steps=weaker))
    assert "(1 step 20, 10 steps 13 of 20 images; 7 by the single step alone, 0 by several alone; p =" in alarm
    assert alarms_of(sound(20, by_many_steps=[not value for value in some(6, 20)])) == []
    (left,) = alarms_of(sound(20, by_unbounded=[not value for value in some(2, 20)]))
    assert "2 of 20 images withstand 40 steps without a ball; 1 tolerated" in left


def test_a_black_box_that_is_stronger_rings_beyond_chance() -> None:
    weaker = [not value for value in some(7, 20)]
    alarms = alarms_of(sound(20, by_many_steps=weaker, by_one_step=weaker, by_black_box=[True] * 20))
    (alarm,) = alarms
    assert "does better than the gradient (square fools 20, 10 steps up the gradient 13 of 20 images" in alarm
    six = [not value for value in some(6, 20)]
    assert alarms_of(sound(20, by_many_steps=six, by_one_step=six, by_black_box=[True] * 20)) == []


def test_attacks_that_disagree_at_a_radius_ring() -> None:
    rows: Any = [[True, place >= 16, True] for place in range(100)]
    (alarm,) = alarms_of(sound(100, by_nearest_at=rows))
    assert "at eps = 0.1 in Linf, the nearest changes that fmn finds fool 84" in alarm
    near: Any = [[True, place >= 15, True] for place in range(100)]
    assert alarms_of(sound(100, by_nearest_at=near)) == []


def test_steps_that_are_led_astray_are_found_by_what_needs_no_gradients() -> None:
    """Gradients of the wrong sign: answers are sound, and only who looks at them alone gets anywhere."""

    def backwards(pixels: Tensor) -> Tensor:
        return 2 * pixels.detach() - pixels

    measured = found(Changed(trained(), before=backwards), eps=0.12)
    assert sum(measured.by_black_box) > sum(measured.by_many_steps) + 10
    assert any("a black-box attack does better" in alarm for alarm in alarms_of(measured))


def test_the_sign_test_is_the_binomial_one() -> None:
    assert sign_test(6, 0) == 2**-6 > CHANCE > sign_test(7, 0) == 2**-7
    assert sign_test(0, 0) == sign_test(0, 9) == 1.0
    assert math.isclose(sign_test(8, 2), (45 + 10 + 1) / 1024)


def test_nothing_right_is_said_and_what_is_no_picture_is_refused() -> None:
    pixels, labels = images(10)
    wrong = measure(
        trained(), pixels, (trained()(pixels).argmax(1) + 1) % 10, eps=0.1, norm="Linf", ctx=Context(Seeds(0))
    )
    assert alarms_of(wrong) == ["nothing can be checked: the model has none of the 10 images right before the attack."]
    bright = pixels.clone()
    bright[3, 0, 0, 0] = 1.5
    with pytest.raises(BadInput, match=r"image 3 has a pixel of 1\.5"):
        measure(trained(), bright, labels, eps=0.1, norm="Linf", ctx=Context(Seeds(0)))


def test_batches_do_not_change_what_is_measured() -> None:
    pixels, labels = images(40)
    whole, parts = (
        measure(trained(), pixels, labels, eps=0.1, norm="Linf", ctx=Context(Seeds(0)), batch=size) for size in (40, 7)
    )
    names = ("by_one_step", "by_many_steps", "by_noise", "by_unbounded", "no_gradient")
    for name in (*names, "by_black_box", "by_steps_at", "by_nearest_at"):
        assert getattr(whole, name) == getattr(parts, name), name
    assert dataclasses.replace(whole, margins=()).images == parts.images
