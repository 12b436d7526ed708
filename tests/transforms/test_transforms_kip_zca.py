from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.types import ImageSet
from stillproof.data.load import load
from stillproof.transforms.kip_zca import KipZCA

Array = NDArray[np.float64]
DATA = load("digits", "train", Path())


def reference(train: Array, test: Array) -> Array:
    mean, std = train.mean((0, 2, 3), keepdims=True), train.std((0, 2, 3), keepdims=True)

    def unit(images: Array) -> Array:
        flat = ((images - mean) / std).reshape(len(images), -1)
        flat = flat - flat.mean(1, keepdims=True)
        return np.asarray(flat / np.linalg.norm(flat, axis=1, keepdims=True))

    moment = unit(train).T @ unit(train) / len(train)
    moment += 0.1 * np.trace(moment) / len(moment) * np.eye(len(moment))
    vectors, values, _ = np.linalg.svd(moment)
    return np.asarray((unit(test) @ (vectors / np.sqrt(values)) @ vectors.T).reshape(test.shape))


def test_it_is_the_whitening_of_the_description() -> None:
    pixels = DATA.read(slice(None)).double().numpy()
    whitened = KipZCA.fit(DATA)(DATA.read(slice(0, 50)))
    assert np.allclose(whitened.numpy(), reference(pixels, pixels[:50]), atol=1e-4)


def test_brightness_and_contrast_are_forgotten_and_the_picture_is_not() -> None:
    front, pixels = KipZCA.fit(DATA), DATA.read(slice(0, 50))
    whitened = front(pixels)
    assert torch.allclose(front(pixels * 0.5 + 0.2), whitened, atol=1e-4)
    shown = front.inverse(whitened)
    for before, after in zip(pixels.flatten(1), shown.flatten(1), strict=True):
        assert float(torch.corrcoef(torch.stack([before, after]))[0, 1]) > 0.999
    assert torch.allclose(front(shown), whitened, atol=1e-3)


def test_it_comes_back_from_its_state() -> None:
    front = KipZCA.fit(DATA)
    again = KipZCA(**front.state_dict())
    assert torch.equal(again(DATA.read(slice(0, 5))), front(DATA.read(slice(0, 5))))


def test_flat_images_stay_finite_and_batches_are_refused() -> None:
    flat = ImageSet(torch.full((4, 1, 8, 8), 128, dtype=torch.uint8), torch.zeros(4).long(), DATA.info, "flat")
    assert bool(torch.isfinite(KipZCA.fit(DATA)(flat.read(slice(None)))).all())
    with pytest.raises(BadInput, match="twice"):
        KipZCA.fit([DATA.read(slice(0, 5))])
