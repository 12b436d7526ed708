from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from stillproof.core.errors import DataMissing
from stillproof.core.types import ImageSet, Split
from stillproof.data.content import KNOWN
from stillproof.data.load import load

# sha256 of the pixels alone, uint8 NHWC.
PIXELS = {
    "cifar10/train": "47af8b02cfcfb6cdf3dbbd1969ad7f1b70f4413f6f80f437b020ee4e5bc8304a",
    "cifar10/test": "f9b1e2130bab680db56eb06d886f7f1ad0f1183907ceff4659d1735c890f5b04",
    "cifar100/train": "4e457917601a66aed021f5fa37957b56c6319557c0a8ed5484de3c390af45430",
    "cifar100/test": "4cb8e5d9309da489bf6b19cc10cd96c3ae6f8daf225380b605aaee4c0d6aee19",
    "mnist/train": "741c988805d008ac6e4c904b69001ba184c24b2c540a4ef403f4c71b676cf757",
    "mnist/test": "6d87418db22cc8025d05968bec9bd5c3932904b23485740db143a061a2c9d161",
    "fashion_mnist/train": "2e487a6c89124f78f2d7521542223cafe96f7123c3ca13d447772ac6ecbb3012",
    "fashion_mnist/test": "c867c93ff95360594e8ec3287995350b824dd110b11595c0e13d5423f621867a",
}


def real(name: str, split: str) -> ImageSet:
    if "STILLPROOF_DATA" not in os.environ:
        pytest.skip("STILLPROOF_DATA names no folder with real data")
    try:
        return load(name, cast(Split, split), Path(os.environ["STILLPROOF_DATA"]))
    except DataMissing as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("key", PIXELS)
def test_real_data_is_the_known_data(key: str) -> None:
    data = real(*key.split("/"))
    pixels = np.ascontiguousarray(data.images.permute(0, 2, 3, 1).numpy())
    assert hashlib.sha256(pixels.data).hexdigest() == PIXELS[key]
    assert data.id == f"{key}@sha256:{KNOWN[key]}"


def test_real_heldout_is_a_tenth_of_each_class() -> None:
    heldout, fit = real("cifar10", "heldout"), real("cifar10", "fit")
    assert heldout.labels.bincount().tolist() == [500] * 10
    assert fit.labels.bincount().tolist() == [4500] * 10


def test_real_tiny_imagenet_has_200_balanced_classes() -> None:
    test = real("tiny_imagenet", "test")
    assert test.images.shape[1:] == (3, 64, 64)
    assert len(set(test.labels.bincount().tolist())) == 1 and int(test.labels.max()) == 199
