from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from stillproof.core.errors import BadInput
from stillproof.data.load import load
from stillproof.run.stages.zca import EPS
from stillproof.transforms.front import Normalise
from stillproof.transforms.normalised_zca import NormalisedZCA
from stillproof.transforms.zca import ZCA

DATA = load("digits", "train", Path())


def test_it_is_the_whitening_of_normalised_images() -> None:
    pixels = DATA.read(slice(None)).double().numpy()
    flat = ((pixels - DATA.info.mean[0]) / DATA.info.std[0]).reshape(len(pixels), -1)
    centred = flat - flat.mean(0)
    vectors, values, _ = np.linalg.svd(np.cov(centred.T))
    expected = (centred[:50] @ (vectors / np.sqrt(values + 0.1)) @ vectors.T).reshape(50, 1, 8, 8)
    found = NormalisedZCA.fit(DATA)(DATA.read(slice(0, 50)))
    assert np.allclose(found.numpy(), expected, atol=1e-4)
    assert not np.allclose(found.numpy(), ZCA.fit(DATA)(DATA.read(slice(0, 50))).numpy(), atol=0.1)


def test_there_is_a_way_back_to_pixels_and_from_its_state() -> None:
    front, pixels = NormalisedZCA.fit(DATA), DATA.read(slice(0, 50))
    torch.testing.assert_close(front.inverse(front(pixels)), pixels, rtol=0, atol=1e-4)
    again = NormalisedZCA(**front.state_dict())
    assert torch.equal(again(pixels), front(pixels))


def test_batches_without_constants_are_refused() -> None:
    with pytest.raises(BadInput, match="give it a data set"):
        NormalisedZCA.fit([DATA.read(slice(0, 5))])


@pytest.mark.slow
def test_on_cifar10_it_is_the_authors() -> None:
    root = Path(os.environ.get("STILLPROOF_DATA", ""))
    if not (root / "cifar10.npz").is_file():
        pytest.skip("STILLPROOF_DATA names no folder with cifar10.npz")
    data = load("cifar10", "train", root)
    normalise = Normalise(data.info.mean, data.info.std)
    flat = torch.cat([normalise(data.read(slice(s, s + 5000))).flatten(1) for s in range(0, len(data), 5000)])
    above = int((torch.linalg.eigvalsh(flat.T.cov()) > EPS).sum())
    whitened = NormalisedZCA.fit(data, EPS)(data.read(slice(0, 5000)))
    assert (above, round(float(whitened.std()), 2)) == (771, 0.52)
