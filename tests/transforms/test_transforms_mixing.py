from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from torch import Tensor

from stillproof.core.components import augmentations
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.transforms.cutmix import CutMix
from stillproof.transforms.draws import Draws
from stillproof.transforms.mixing import Mixing
from stillproof.transforms.mixup import Mixup

BOTH = [Mixup(), CutMix()]
seeds = st.integers(0, 2**31)


def generator(seed: int) -> torch.Generator:
    return Seeds(seed).torch()


def pictures(count: int, *shape: int) -> Tensor:
    return torch.randn(count, *shape, generator=generator(99))


def own_and_partner(shares: Tensor) -> tuple[Tensor, Tensor]:
    """Return from mixed one-hot labels what every image has of itself and of its partner."""
    return shares.diagonal(), shares.sum(1) - shares.diagonal()


@settings(max_examples=25, deadline=None)
@given(seed=seeds, count=st.integers(1, 9), alpha=st.sampled_from([0.2, 1.0, 4.0]))
def test_mixup_adds_images_in_the_shares_of_their_labels(seed: int, count: int, alpha: float) -> None:
    images = pictures(count, 3, 8, 8)
    mixed, shares = Mixup(alpha)(images, generator(seed)), Mixup(alpha).mix(images, torch.eye(count), generator(seed))
    torch.testing.assert_close(mixed, shares[0])
    torch.testing.assert_close(mixed.flatten(1), shares[1] @ images.flatten(1), rtol=1e-4, atol=1e-5)
    assert ((shares[1] > 0).sum(1) <= 2).all() and shares[1].min() >= 0


@settings(max_examples=25, deadline=None)
@given(seed=seeds, count=st.integers(1, 9), alpha=st.sampled_from([0.2, 1.0, 4.0]))
def test_cutmix_covers_one_rectangle_by_another_image(seed: int, count: int, alpha: float) -> None:
    images = pictures(count, 3, 8, 12)
    mixed, shares = CutMix(alpha).mix(images, torch.eye(count), generator(seed))
    for place, result in enumerate(mixed):
        foreign = (result != images[place]).any(0)
        rows, columns = foreign.any(1), foreign.any(0)
        assert torch.equal(foreign, rows[:, None] & columns)
        for line in (rows, columns):
            where = line.nonzero().flatten()
            assert where.numel() == 0 or where.numel() == where[-1] - where[0] + 1, "the rectangle has no gaps"
        partner = shares[place].clone()
        partner[place] = 0
        assert partner.sum().item() == pytest.approx(foreign.float().mean().item(), abs=1e-6)
        if foreign.any():
            other = images[int(partner.argmax())]
            assert torch.equal(torch.where(foreign, other, images[place]), result)


@pytest.mark.parametrize("mixing", BOTH)
def test_every_image_has_its_own_share(mixing: Mixing) -> None:
    _, shares = mixing.mix(pictures(64, 1, 32, 32), torch.eye(64), generator(0))
    assert len({round(share, 5) for share in own_and_partner(shares)[0].tolist()}) > 30


@pytest.mark.parametrize("mixing", [Mixup(per_batch=True), CutMix(per_batch=True)])
def test_per_batch_is_one_share_for_all(mixing: Mixing) -> None:
    found = set()
    for seed in range(10):
        _, shares = mixing.mix(pictures(16, 1, 32, 32), torch.eye(16), generator(seed))
        own = own_and_partner(shares)[0]
        assert len({round(share, 5) for share in own[own < 1].tolist()}) <= 1
        found.add(round(own.min().item(), 5))
    assert len(found) > 7


@pytest.mark.parametrize("mixing", BOTH)
def test_partners_are_another_order_of_the_batch(mixing: Mixing) -> None:
    orders = set()
    for seed in range(10):
        _, shares = mixing.mix(pictures(8, 1, 32, 32), torch.eye(8), generator(seed))
        torch.testing.assert_close(shares.sum(1), torch.ones(8))
        orders.add(tuple((shares - shares.diagonal().diag()).argmax(1).tolist()))
    assert len(orders) > 7


@pytest.mark.parametrize("alpha", [0.2, 1.0, 5.0])
def test_shares_are_beta_distributed(alpha: float) -> None:
    drawn = Draws(2000, generator(1)).beta(alpha)
    assert stats.kstest(drawn.double().numpy(), stats.beta(alpha, alpha).cdf).pvalue > 1e-3
    assert torch.equal(drawn, Draws(2000, generator(1)).beta(alpha))
    assert not torch.equal(drawn, Draws(2000, generator(2)).beta(alpha))


def test_one_generator_gives_other_shares_each_time() -> None:
    draws = Draws(5, generator(3))
    assert not torch.equal(draws.beta(1.0), draws.beta(1.0))


def test_soft_targets_are_mixed_too() -> None:
    targets = torch.rand(6, 4, generator=generator(4))
    _, shares = Mixup().mix(pictures(6, 1, 8, 8), torch.eye(6), generator(5))
    _, mixed = Mixup().mix(pictures(6, 1, 8, 8), targets, generator(5))
    torch.testing.assert_close(mixed, shares @ targets)


@pytest.mark.parametrize("name", ["mixup", "cutmix"])
def test_a_beta_distribution_needs_a_positive_parameter(name: str) -> None:
    with pytest.raises(BadInput, match="alpha must be positive, not 0"):
        augmentations.build(f"{name}:alpha=0")
    assert augmentations.build(f"{name}-per-batch:alpha=0.8") is not None


def test_shared_draws_are_one_draw_spread_over_the_batch() -> None:
    shared, own = Draws(50, generator(6), shared=True), Draws(50, generator(6))
    for draw in (shared.uniform(3), shared.integers(0, 100, 3), shared.orders(3)):
        assert draw.shape == (50, 3) and (draw == draw[:1]).all()
    for draw in (own.uniform(3), own.integers(0, 100, 3), own.orders(3)):
        assert draw.shape == (50, 3) and (draw != draw[:1]).any()
    assert own.orders(4).sort(1).values.tolist() == [[0, 1, 2, 3]] * 50
