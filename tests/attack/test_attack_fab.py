"""FAB: the shortest way to a border within the range of pixels, and what counts within a ball."""

from __future__ import annotations

import pytest
import torch
from attack_setups import HALF, attacked
from torch import Tensor, nn

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.norms import Norm, sizes
from stillproof.attack.base.run import run_attack
from stillproof.attack.fab import way_to_hyperplane
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.seeds import Seeds

NORMS: tuple[Norm, ...] = ("Linf", "L2", "L1")


def tasks() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return slopes, heights on both sides, and room; some values have no slope, some no room."""
    generator = torch.Generator().manual_seed(0)
    slopes = torch.randn(40, 12, generator=generator)
    slopes[:, 0] = 0
    points = torch.rand(40, 12, generator=generator).mul(1.4).sub(0.2).clamp(0, 1)
    heights = torch.randn(40, generator=generator) * 3
    return slopes, heights, points, 1 - points


@pytest.mark.parametrize("norm", NORMS)
def test_the_way_ends_on_the_hyperplane_and_is_the_shortest(norm: Norm) -> None:
    slopes, heights, down, up = tasks()
    way = way_to_hyperplane(slopes, heights, down, up, norm)
    assert (way <= up).all() and (-way <= down).all() and (way[:, 0] == 0).all()
    room = torch.where(-slopes * heights.unsqueeze(1) > 0, up, down) * (slopes != 0)
    reachable = (slopes.abs() * room).sum(1) > heights.abs()
    left = heights + (slopes * way).sum(1)
    assert reachable.sum() > 20 and (~reachable).sum() > 2
    assert left[reachable].abs().max() < 1e-5
    assert torch.allclose(way.abs()[~reachable], room[~reachable]), "as far as it goes"
    steep, far, full = slopes.abs()[reachable], way.abs()[reachable], (way.abs() >= room - 1e-6)[reachable]
    if norm == "L1":  # a value moves only if all steeper ones have gone all the way
        assert ((far > 1e-6) & ~full).sum(1).max() <= 1
        for row in range(len(far)):
            least = steep[row][far[row] > 1e-6].min()
            assert full[row][steep[row] > least].all()
    else:  # all that did not go all the way moved for the same time, and no other for longer
        time = far / (1 if norm == "Linf" else steep.clamp(min=1e-12))
        longest = time.masked_fill(steep == 0, 0).amax(1, keepdim=True)
        free = ~full & (steep > 0)
        assert ((time - longest).abs()[free] < 1e-4).all() and free.any(1).sum() > 15


class Linear(nn.Module):
    """Two classes, of which the second grows with a weighted sum of pixels."""

    def forward(self, pixels: Tensor) -> Tensor:
        grown = pixels.flatten(1) @ torch.tensor([[3.0], [-4.0], [0.0], [0.0]])
        return torch.cat([torch.zeros_like(grown), grown], 1)


@pytest.mark.parametrize("name", ["fab", "fab-t"])
@pytest.mark.parametrize(("norm", "way"), [("L2", 0.1), ("Linf", 0.5 / 7), ("L1", 0.125)])
def test_it_comes_ever_nearer_to_a_straight_border(name: str, norm: Norm, way: float) -> None:
    attack, grey = attack_of(name, {"norm": norm, "steps": 20}), torch.full((1, 1, 2, 2), 0.5)
    found = run_attack(attack, Linear(), grey, torch.tensor([0]), ctx=Context(Seeds(0)))
    size = {"L2": found.l2, "Linf": found.linf, "L1": found.l1}[norm]
    assert found.fooled.all() and way < size.item() <= 1.01 * way
    assert found.forwards.item() == 1 + 2 * 20 and found.backwards.item() == (40 if name == "fab" else 20)


def test_all_images_are_fooled_and_nearer_than_by_deepfool() -> None:
    fab, aimed, deepfool = (
        attacked(f"{name}:norm=Linf", 30) for name in ("fab:steps=20", "fab-t:steps=20", "deepfool")
    )
    for found in (fab, aimed):
        assert found.fooled.all() and found.linf.mean() < deepfool.linf.mean()
        assert found.images is not None and torch.allclose(found.linf, sizes(found.images - _clean(), "Linf"))


def _clean() -> Tensor:
    found = attacked("none", 30).images
    assert found is not None
    return found


def test_the_share_of_images_that_it_finds_nearer_than_eps_is_about_that_of_attacks_with_that_eps() -> None:
    fab, apgd = attacked("fab-t:steps=15:classes=5", 40), attacked(f"apgd-t:steps=15:eps={HALF}", 40)
    by_fab = fab.clean_right & (fab.linf > HALF)
    assert (by_fab != apgd.robust).sum() <= 2


def test_an_image_whose_border_is_further_than_that_stays_as_it_was() -> None:
    free, bound = attacked("fab:steps=15", 40), attacked(f"fab:steps=15:farthest={HALF}", 40)
    near = free.fooled & (free.linf <= HALF)
    assert torch.equal(bound.fooled, near) and near.any() and not near.all()
    assert torch.equal(bound.linf[near], free.linf[near]) and not bound.linf[~near].any()
    assert attack_of(f"fab:farthest={HALF}").radius == HALF and attack_of("fab").radius is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fab:farthest=0", "farthest must be above 0, not 0"),
        ("fab:steps=0", "steps must be at least 1, not 0"),
        ("fab:alpha_max=1.5", "alpha_max must lie in [0, 1], not at 1.5"),
        ("fab:eta=0.9", "eta must be at least 1, not 0.9"),
        ("fab-t:classes=0", "classes must be at least 1, not 0"),
    ],
)
def test_steps_that_lead_nowhere_are_refused(name: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_of(name)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["fab", "fab-t", "apgd-t", "autoattack"])
def test_what_chooses_its_classes_itself_has_no_targeted_form(name: str) -> None:
    with pytest.raises(Unsupported, match="has no targeted form"):
        attacked(name, 5, target="next")
