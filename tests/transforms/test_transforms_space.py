from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, ImageSet, Space
from stillproof.transforms.front import Normalise
from stillproof.transforms.space import make_front, to_pixels
from stillproof.transforms.zca import ZCA


def correlated(count: int) -> Tensor:
    draws = Seeds(0).torch()
    smooth = torch.rand(count, 2, 2, 2, generator=draws)
    return 0.7 * smooth.repeat_interleave(2, 2).repeat_interleave(2, 3) + 0.3 * torch.rand(
        count, 2, 4, 4, generator=draws
    )


def covariance(images: Tensor) -> Tensor:
    return images.flatten(1).double().T.cov()


def close(first: ZCA, second: ZCA, tolerance: float) -> None:
    for key, value in first.state_dict().items():
        torch.testing.assert_close(value, second.state_dict()[key], rtol=tolerance, atol=tolerance)


@settings(max_examples=25, deadline=None)
@given(
    mean=st.lists(st.floats(0, 1), min_size=3, max_size=3),
    std=st.lists(st.floats(0.05, 1), min_size=3, max_size=3),
    seed=st.integers(0, 99),
)
def test_normalise_inverts_to_the_input(mean: list[float], std: list[float], seed: int) -> None:
    front = Normalise(mean, std)
    pixels = torch.rand(2, 3, 4, 4, generator=Seeds(seed).torch())
    torch.testing.assert_close(front.inverse(front(pixels)), pixels, rtol=0, atol=1e-5)


def test_normalise_works_channel_by_channel() -> None:
    pixels = torch.tensor([0.5, 0.2]).view(1, 2, 1, 1).expand(1, 2, 3, 3)
    normalised = Normalise((0.1, 0.2), (0.2, 0.5))(pixels)
    torch.testing.assert_close(normalised[0, :, 0, 0], torch.tensor([2.0, 0.0]))


@pytest.mark.parametrize(("mean", "std"), [((), ()), ((0.5,), (0.1, 0.1)), ((0.5,), (0.0,))])
def test_constants_that_cannot_normalise_are_refused(mean: tuple[float, ...], std: tuple[float, ...]) -> None:
    with pytest.raises(BadInput, match="std"):
        Normalise(mean, std)


@pytest.mark.parametrize("eps", [1e-3, 0.1])
def test_whitened_covariance_is_the_expected_one(eps: float) -> None:
    images = correlated(500)
    values, vectors = torch.linalg.eigh(covariance(images))
    expected = vectors @ torch.diag(values / (values + eps)) @ vectors.T
    torch.testing.assert_close(covariance(ZCA.fit([images], eps)(images)), expected, rtol=0, atol=1e-4)


def test_zca_agrees_with_a_known_example() -> None:
    # Three points of a plane, whitened by hand with eps near 0.
    points = torch.tensor([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]]).view(3, 1, 1, 2)
    expected = torch.tensor([[0.0, 1.1547], [1.0, -0.5773], [-1.0, -0.5773]])
    torch.testing.assert_close(ZCA.fit([points], 1e-6)(points).view(3, 2), expected, rtol=0, atol=1e-3)


def test_zca_matrix_is_the_svd_formula_and_has_an_exact_inverse() -> None:
    images = correlated(300)
    zca = ZCA.fit([images])
    left, values, _ = torch.linalg.svd(covariance(images))
    expected = left @ torch.diag((values + 0.1).rsqrt()) @ left.T
    torch.testing.assert_close(zca.matrix.double(), expected, rtol=0, atol=1e-5)
    torch.testing.assert_close(zca.matrix @ zca.inverse_matrix, torch.eye(32), rtol=0, atol=1e-5)


@settings(max_examples=15, deadline=None)
@given(batch=st.integers(1, 120))
def test_streaming_fit_equals_fit_at_once(batch: int) -> None:
    images = correlated(120)
    close(ZCA.fit(images[start : start + batch] for start in range(0, 120, batch)), ZCA.fit([images]), 1e-6)


def test_zca_is_fitted_on_a_data_set_of_bytes() -> None:
    images = (correlated(60) * 255).byte()
    info = DataInfo("toy", 2, 4, 2, (0.5, 0.5), (0.2, 0.2), "none")
    data = ImageSet(images, torch.zeros(60, dtype=torch.int64), info, "toy/train")
    close(ZCA.fit(data), ZCA.fit([images.float() / 255]), 1e-6)


def test_zca_inverts_to_the_input_on_images_it_has_not_seen() -> None:
    zca = ZCA.fit([correlated(100)])
    pixels = torch.rand(5, 2, 4, 4, generator=Seeds(1).torch())
    torch.testing.assert_close(zca.inverse(zca(pixels)), pixels, rtol=0, atol=1e-5)


def test_zca_survives_its_state_dict() -> None:
    zca = ZCA.fit([correlated(100)])
    images = correlated(3)
    assert torch.equal(ZCA(**zca.state_dict())(images), zca(images))
    other = ZCA.fit([correlated(100) ** 2])
    other.load_state_dict(zca.state_dict())
    assert torch.equal(other.inverse(images), zca.inverse(images))
    assert not list(zca.parameters())


@pytest.mark.parametrize(("batches", "word"), [([], "not 0"), ([torch.rand(1, 1, 2, 2)], "not 1")])
def test_too_few_images_are_refused(batches: list[Tensor], word: str) -> None:
    with pytest.raises(BadInput, match=word):
        ZCA.fit(batches)


def test_bytes_are_refused_by_zca() -> None:
    with pytest.raises(BadInput, match="uint8"):
        ZCA.fit([torch.zeros(3, 1, 2, 2, dtype=torch.uint8)])


def test_every_space_has_a_front_and_a_way_back() -> None:
    pixels = correlated(10)
    zca = ZCA.fit([pixels])
    for space in (Space("pixels"), Space("normalised", (0.4, 0.5), (0.2, 0.3)), Space("zca", ref="abc")):
        front = make_front(space, zca)
        torch.testing.assert_close(front.inverse(front(pixels)), pixels, rtol=0, atol=1e-5)
    assert torch.equal(make_front(Space("pixels"))(pixels), pixels)
    assert make_front(Space("zca", ref="abc"), zca) is zca


def test_a_zca_space_without_its_whitening_is_refused() -> None:
    with pytest.raises(BadInput, match="abc"):
        make_front(Space("zca", ref="abc"))


def test_shown_pixels_are_clamped() -> None:
    front = make_front(Space("normalised", (0.5,), (0.25,)))
    shown = to_pixels(torch.tensor([-9.0, 0.0, 1.0, 9.0]).view(4, 1, 1, 1), front)
    torch.testing.assert_close(shown.flatten(), torch.tensor([0.0, 0.5, 0.75, 1.0]))
