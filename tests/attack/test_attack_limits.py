"""Balls, boxes and starts."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from stillproof.attack.base.limits import ClampedLimits, Limits
from stillproof.attack.base.norms import ORDERS, Norm, sizes
from stillproof.attack.base.starts import anywhere
from stillproof.attack.base.streams import Streams
from stillproof.core.seeds import Seeds

NORMS: tuple[Norm, ...] = ("Linf", "L2", "L1")
CPU = torch.device("cpu")
ROUNDING = 1e-5  # of a norm, as a share


def noise(shape: tuple[int, ...], seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@given(
    norm=st.sampled_from(NORMS),
    shape=st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 6), st.integers(1, 6)),
    eps=st.floats(1e-4, 1.0),
    far=st.sampled_from([1e-6, 0.1, 3.0, 1e6, float("inf")]),
    unclamped=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_what_is_put_back_lies_in_ball_and_range(
    norm: Norm, shape: tuple[int, ...], eps: float, far: float, unclamped: bool, seed: int
) -> None:
    images = noise(shape, seed).sigmoid() if not unclamped else noise(shape, seed)
    images[:, :, 0] = images[:, :, 0].round()  # black and white pixels too
    points = images + far * noise(shape, seed + 1)
    points[0].view(-1)[0] = float("nan")
    made = Limits(norm, eps).project(images, points)
    assert torch.isfinite(made).all()
    assert (made >= images.clamp(max=0)).all() and (made <= images.clamp(min=1)).all()
    assert (sizes(made - images, norm) <= eps * (1 + ROUNDING) + 1e-6).all()
    assert torch.allclose(Limits(norm, eps).project(images, made), made, atol=1e-5)


def by_halving(change: Tensor, room: Tensor, norm: Norm, eps: float) -> Tensor:
    """Find the nearest change as the theory has it: all scaled, or all made smaller, by what just fits."""

    def fitted(much: float) -> Tensor:
        less = change / (1 + much) if norm == "L2" else (change - much).clamp(min=0)
        return torch.minimum(less, room)

    def size(much: float) -> float:
        return float(torch.linalg.vector_norm(fitted(much), ORDERS[norm]))

    low, high = 0.0, 1e4
    for _ in range(200 if size(0.0) > eps else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if size(middle) > eps else (low, middle)
    return fitted(high if size(0.0) > eps else 0.0)


@given(norm=st.sampled_from(("L2", "L1")), eps=st.floats(0.01, 3.0), seed=st.integers(0, 1000))
def test_nothing_in_ball_and_range_is_nearer(norm: Norm, eps: float, seed: int) -> None:
    images = noise((1, 1, 4, 4), seed).mul(2).sigmoid().double()
    points = images + noise((1, 1, 4, 4), seed + 1).double()
    change = points - images
    room = torch.where(change > 0, 1 - images, images)
    nearest = images + change.sign() * by_halving(change.abs(), room, norm, eps)
    assert torch.allclose(Limits(norm, eps).project(images, points), nearest, atol=1e-6)


def test_a_point_within_the_limits_stays() -> None:
    images = torch.full((2, 1, 4, 4), 0.5)
    points = images + 0.01 * noise((2, 1, 4, 4), 0)
    for norm in NORMS:
        assert torch.allclose(Limits(norm, 2.0).project(images, points), points, atol=1e-7)
    assert torch.equal(Limits("L2", None).project(images, images + 9), torch.ones_like(images))


def test_clamped_limits_destroy_what_is_no_picture() -> None:
    images = torch.tensor([-1.5, 0.5, 2.0]).view(1, 1, 1, 3)
    made = ClampedLimits("Linf", 0.1).project(images, images + 0.3)
    assert torch.allclose(made, torch.tensor([0.0, 0.6, 1.0]).view(1, 1, 1, 3))
    made = ClampedLimits("L2", 0.1).project(torch.zeros(1, 1, 1, 2), torch.tensor([3.0, 4.0]).view(1, 1, 1, 2))
    assert torch.allclose(made, torch.tensor([0.06, 0.08]).view(1, 1, 1, 2))


@pytest.mark.parametrize("norm", NORMS)
def test_starts_lie_in_the_ball_at_all_distances(norm: Norm) -> None:
    streams = Streams(Seeds(0), torch.arange(200), CPU)
    change = anywhere(torch.zeros(200, 3, 4, 4), norm, 0.3, streams, "start")
    size = torch.linalg.vector_norm(change.flatten(1), ORDERS[norm], dim=1)
    assert size.max() <= 0.3 * (1 + ROUNDING)
    assert (change > 0).float().mean().item() == pytest.approx(0.5, abs=0.05)
    assert (size.min() > 0.25) if norm == "Linf" else (size.min() < 0.05)


def test_an_image_draws_the_same_in_every_batch() -> None:
    whole = Streams(Seeds(3), torch.arange(10), CPU)
    part = Streams(Seeds(3), torch.tensor([7, 2]), CPU)
    assert torch.equal(whole.normal((3, 2), "a", 1)[[7, 2]], part.normal((3, 2), "a", 1))
    assert torch.equal(whole.integers(1000, "b")[[7, 2]], part.integers(1000, "b"))
    kept = torch.zeros(10, dtype=torch.bool)
    kept[4] = True
    assert torch.equal(whole.only(kept).uniform((5,), "c")[0], whole.uniform((5,), "c")[4])
    assert not torch.equal(whole.uniform((5,), "c"), whole.child("try", 1).uniform((5,), "c"))
