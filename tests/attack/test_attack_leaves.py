"""What is particular to each attack."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from attack_setups import HALF, attacked, images, trained
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.attack.base.adam import Adam
from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.norms import sizes
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.cw import CarliniWagner
from stillproof.attack.deepfool import DeepFool
from stillproof.attack.stepping.diversity import _placing
from stillproof.core.components import attacks
from stillproof.core.context import Context
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds

TO_THE_END = Rules(early_exit=False, answer="last", keep_images=True)
OWN = [name for name, entry in attacks.entries().items() if not entry.below]
BOUNDED = sorted(name for name in OWN if attack_of(name).radius is not None)


def made(name: str, count: int = 20, rules: Rules = TO_THE_END) -> Tensor:
    found = attacked(name, count, rules=rules).images
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pgd:steps=1:step=0.06:random_start=false", "fgsm"),
        ("pgd:random_start=false", "bim"),
        ("mifgsm:decay=0", "bim"),
        ("nifgsm:decay=0", "bim"),
        ("difgsm:diversity=0", "bim"),
        ("difgsm:resize=1", "bim"),
        ("tifgsm:kernel=1", "difgsm"),
        ("eotpgd:samples=1", "pgd"),
        ("eotpgd:samples=3", "pgd"),
        ("upgd", "mifgsm"),
        ("upgd:decay=0:random_start=true", "pgd"),
    ],
)
def test_attacks_without_what_makes_them_so_are_others(one: str, other: str) -> None:
    same, expected = (made(f"{name}:eps=0.06") for name in (one, other))
    assert (same - expected).abs().max() < 1e-6


def test_attacks_do_differ() -> None:
    """Otherwise the test above would say nothing."""
    names = ("fgsm", "bim", "pgd", "mifgsm", "nifgsm", "difgsm", "tifgsm", "upgd:loss=margin", "rfgsm", "ffgsm", "tpgd")
    found = [made(f"{name}:eps=0.06") for name in names]
    for number, first in enumerate(found):
        for second in found[number + 1 :]:
            assert (first - second).abs().max() > 1e-3


def test_more_of_what_makes_an_attack_strong_loses_more_images() -> None:
    lost = {name: attacked(f"{name}:eps={HALF}").fooled.sum() for name in ("fgsm", "pgd", "pgd:restarts=3:steps=40")}
    assert lost["fgsm"] < lost["pgd"] <= lost["pgd:restarts=3:steps=40"]


def test_a_copy_is_what_interpolation_and_padding_make_of_an_image() -> None:
    pixels = images(1)[0]
    kept, top = 14, 1  # a draw of 0 for the size and one of 0.5 for the place: one of two free lines is above
    rows = _placing(16, torch.zeros(1), torch.full((1,), 0.5), 0.9, torch.ones(1, dtype=torch.bool))
    copy = rows.unsqueeze(1) @ pixels @ rows.unsqueeze(1).transpose(2, 3)
    small = F.interpolate(pixels, size=(kept, kept), mode="bilinear", align_corners=False)
    assert torch.allclose(copy, F.pad(small, (top, 16 - kept - top) * 2), atol=1e-6)
    as_it_is = _placing(16, torch.zeros(1), torch.full((1,), 0.5), 0.9, torch.zeros(1, dtype=torch.bool))
    assert torch.equal(as_it_is[0], torch.eye(16))


def test_tpgd_does_not_look_at_labels() -> None:
    pixels, labels = images(20)
    attack = attack_of("tpgd:eps=0.06")
    other = [
        run_attack(attack, trained(), pixels, given, ctx=Context(Seeds(0)), rules=TO_THE_END).images
        for given in (labels, (labels + 1) % 10)
    ]
    assert other[0] is not None and other[1] is not None and torch.equal(other[0], other[1])


class Linear(nn.Module):
    """Two classes, of which the second grows with a weighted sum of pixels."""

    def __init__(self, weights: Tensor, bias: float) -> None:
        super().__init__()
        self.weights, self.bias = weights, bias

    def forward(self, pixels: Tensor) -> Tensor:
        grown = (pixels.flatten(1) @ self.weights + self.bias).unsqueeze(1)
        return torch.cat([torch.zeros_like(grown), grown], 1)


WEIGHTS = torch.tensor([3.0, -4.0, 0.0, 0.0])
GREY = torch.full((1, 1, 2, 2), 0.5)  # 0.5 below the border, which is 0.1 away in L2 and 0.5 / 7 in Linf


@pytest.mark.parametrize(("norm", "way"), [("L2", 0.1), ("Linf", 0.5 / 7)])
def test_deepfool_crosses_a_straight_border_where_it_is_nearest(norm: str, way: float) -> None:
    attack = DeepFool(norm=norm)  # type: ignore[arg-type]
    found = run_attack(attack, Linear(WEIGHTS, 0.0), GREY, torch.tensor([0]), ctx=Context(Seeds(0)))
    size = found.l2 if norm == "L2" else found.linf
    assert found.fooled.all() and size.item() == pytest.approx(1.02 * way, rel=1e-3)
    assert found.forwards.item() == 3 and found.backwards.item() == 2  # clean, both slopes, and what came of it


def test_cw_finds_the_nearest_point_behind_a_border() -> None:
    attack = CarliniWagner(steps=80, lr=0.02, searches=5)
    found = run_attack(attack, Linear(WEIGHTS, 0.0), GREY, torch.tensor([0]), ctx=Context(Seeds(0)))
    assert found.fooled.all() and found.l2.item() == pytest.approx(0.1, rel=0.02)


def test_cw_goes_as_far_beyond_a_border_as_it_is_told() -> None:
    attack = CarliniWagner(steps=80, lr=0.02, searches=5, kappa=0.5)
    rules = Rules(keep_images=True)
    model = Linear(WEIGHTS, 0.0)
    found = run_attack(attack, model, GREY, torch.tensor([0]), ctx=Context(Seeds(0)), rules=rules)
    assert found.images is not None and model(found.images)[0, 1].item() == pytest.approx(0.5, abs=0.05)


def test_the_nearest_change_is_found_and_what_resists_is_left_clean() -> None:
    near, far = attacked("cw:steps=60:lr=0.05", 40), attacked("pgd-l2:eps=3", 40)
    both = near.success & far.success
    assert both.sum() > 20 and (near.l2[both] < far.l2[both]).float().mean() > 0.9
    weak = attacked("cw:steps=1", 20)
    assert not weak.success.any() and weak.linf.max() == 0 and torch.equal(weak.predictions, weak.clean_predictions)


BREAKS: dict[str, Callable[[Tensor], Tensor]] = {
    "none": lambda sums: sums,
    "zero": lambda sums: sums.detach() + 0 * sums,
    "nan": lambda sums: sums.detach() + (sums - sums.detach()).sqrt(),
    "huge": lambda sums: sums.detach() + 1e30 * (sums - sums.detach()),
}


@settings(max_examples=60)
@given(
    name=st.sampled_from(BOUNDED),
    shape=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 9), st.integers(1, 9)),
    share=st.floats(1e-3, 1.0),
    gradients=st.sampled_from(sorted(BREAKS)),
    target=st.sampled_from([None, "next"]),
    seed=st.integers(0, 100),
)
def test_no_attack_leaves_ball_or_range(
    name: str, shape: tuple[int, ...], share: float, gradients: str, target: str | None, seed: int
) -> None:
    usual = attack_of(name)
    values = shape[1] * shape[2] * shape[3]
    eps = share * {"Linf": 1.0, "L2": values**0.5, "L1": values}[usual.measured_in]
    quick = preset_params(attacks.get(name), "smoke", "", 1, attacks.entry(name))
    attack = attack_of(name, {**quick, "eps": eps})
    generator = torch.Generator().manual_seed(seed)
    pixels = torch.rand(shape, generator=generator).mul(1.4).sub(0.2).clamp(0, 1)
    weights = torch.randn(values, 4, generator=generator)
    broken = BREAKS[gradients]

    def model(points: Tensor) -> Tensor:
        return broken(points.flatten(1) @ weights)

    with torch.no_grad():
        labels = model(pixels).argmax(1)
    for rules in (Rules(keep_images=True), TO_THE_END):
        aimed = None if not attack.has_target else target
        found = run_attack(attack, model, pixels, labels, ctx=Context(Seeds(seed)), rules=rules, target=aimed)  # type: ignore[arg-type]
        assert found.images is not None and found.images.min() >= 0 and found.images.max() <= 1
        assert (sizes(found.images - pixels, attack.measured_in) <= eps * (1 + 1e-5) + 1e-6).all()
        if gradients in ("zero", "nan"):
            assert found.no_gradient[(found.backwards > 0)].all()


def test_our_adam_is_the_usual_one() -> None:
    values = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    theirs = values.clone().requires_grad_()
    optimiser, ours = torch.optim.Adam([theirs], lr=0.1), Adam(values, 0.1)
    for _ in range(20):
        values = values - ours.step(values.square() * 3)
        theirs.grad = theirs.detach().square() * 3
        optimiser.step()
    assert torch.allclose(values, theirs.detach(), atol=1e-12)
