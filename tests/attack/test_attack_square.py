"""Square: how large its squares are, where they lie, and what it counts."""

from __future__ import annotations

import pytest
import torch
from attack_setups import HALF, attacked, images, trained

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.losses import usual_cross_entropy
from stillproof.attack.base.rules import Rules
from stillproof.attack.square import moved_mass, pyramids, share_changed, side_of, tiled, windows
from stillproof.core.errors import BadInput


def test_squares_shrink_as_the_paper_says_and_the_schedule_is_stretched() -> None:
    at = (0, 10, 11, 51, 201, 501, 1001, 2001, 4001, 6001, 8001, 9999)
    halvings = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]
    assert [share_changed(query, None, 0.8) for query in at] == [0.8 / 2**n for n in halvings]
    assert [share_changed(query, 10_000, 0.8) for query in at] == [0.8 / 2**n for n in halvings]
    assert share_changed(6, 5000, 0.8) == 0.4 and share_changed(4999, 5000, 0.8) == 0.8 / 512
    assert side_of(0.8, 32, 32) == 29 and side_of(1e-9, 32, 32) == 1 and side_of(1.0, 32, 5) == 5


def test_windows_lie_everywhere_and_inside() -> None:
    draws = torch.rand(2000, 2, generator=torch.Generator().manual_seed(0))
    found = windows(draws, 3, 6, 5)
    assert (found.inside.sum((1, 2, 3)) == 9).all()
    first = found.inside.flatten(1).float().argmax(1)
    assert sorted(set(first.tolist())) == sorted(5 * row + column for row in range(4) for column in range(3))


def test_pyramids_are_one_up_and_one_down() -> None:
    for side in range(1, 12):
        found = pyramids(side)
        assert found.shape == (side, side) and found.norm().item() == pytest.approx(1)
        assert (found[: side // 2] > 0).all() and (found[side // 2 :] < 0).all()


@pytest.mark.parametrize(("height", "width"), [(16, 16), (1, 1), (3, 7)])
def test_changes_in_l2_use_the_whole_ball(height: int, width: int) -> None:
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(8, 3, height, width, generator=generator)
    change = 0.5 * tiled(images, torch.rand(8, 4, height, width, generator=generator))
    for side in (1, min(3, height)):
        change = moved_mass(change, torch.rand(8, 8, generator=generator), side, 0.5)
        assert torch.allclose(change.flatten(1).norm(dim=1), torch.full((8,), 0.5), atol=1e-5)


def test_queries_are_forward_passes_and_more_of_them_fool_more() -> None:
    few, many = (attacked(f"square:eps=0.15:queries={queries}") for queries in (5, 100))
    assert many.robust_accuracy < few.robust_accuracy < few.clean_accuracy
    assert not many.backwards.any() and (many.forwards[many.robust] == 1 + 100 + 1).all()
    assert torch.equal(many.forwards[many.success], many.first_success[many.success])
    assert many.linf.max() <= 0.15 * (1 + 1e-5)


def test_draws_do_not_depend_on_who_else_is_left() -> None:
    early, late = (
        attacked(f"square:eps={2 * HALF}:queries=300", 20, rules=Rules(early_exit=exit_, keep_images=True))
        for exit_ in (True, False)
    )
    assert torch.equal(early.fooled, late.fooled) and torch.equal(early.first_success, late.first_success)


def test_the_loss_decides_which_squares_are_kept() -> None:
    by_loss = {
        name: attacked(
            f"square:eps={HALF / 4}:queries=60:loss={name}", 20, rules=Rules(early_exit=False, keep_images=True)
        )
        for name in ("margin", "ce")
    }
    labels = images(20)[1]
    losses = {}
    for name, found in by_loss.items():
        assert found.images is not None
        with torch.no_grad():
            losses[name] = usual_cross_entropy(trained()(found.images), labels, None)
    held = by_loss["margin"].robust & by_loss["ce"].robust
    assert held.any() and losses["ce"][held].mean() >= losses["margin"][held].mean()
    assert not torch.equal(losses["ce"], losses["margin"])
    assert attack_of("square") == attack_of("square:loss=margin")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("square:queries=0", "queries must be at least 1, not 0"),
        ("square:p_init=0", "p_init must be above 0 and at most 1, not 0"),
        ("square:loss=dlr", "loss = 'dlr' is not allowed"),
        ("square:norm=L1", "norm = 'L1' is not allowed"),
    ],
)
def test_a_search_without_questions_is_refused(name: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        attack_of(name)
    assert said in str(caught.value)
