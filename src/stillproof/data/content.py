"""Names data by its content, and knows the content of the public data sets."""

from __future__ import annotations

import functools
import hashlib
import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from stillproof.core.types import Split

log = logging.getLogger("stillproof")

CHUNK_BYTES = 1 << 26

# sha256 over the pixels (uint8, NHWC) and then the labels (int64, little-endian), as in `content_id`.
KNOWN: dict[str, str] = {
    "digits/train": "3a2c6e22ce6741c320884330b85bbffc488e016aeab59d7014e2b412c37f1f12",
    "digits/test": "1099bcc8ee9e7a31341a6b19afe8f6354d2a6e633e5fcc8765fa6aea9ceb5d4f",
    "mnist/train": "d18cfd466eb143ac1097fde604dba9eec4116885869d04cc648b510949f9e88c",
    "mnist/test": "a0863a96c44e5666edbb30c4071ee79ca0514c621e6349c5967fc78e7305c891",
    "fashion_mnist/train": "1f243a60b4b748a44c48b9a6f6907be2a08bee3e4e226f0e86fbde8e147b745a",
    "fashion_mnist/test": "9a494dc49efeb996f4076c469b31cd058152067b1594ba6ab85dd739fce3775e",
    "cifar10/train": "67e12c2a5906880a4fe5595fe6d768185ad7ca587f35d3a7ece3c3b8b85035d2",
    "cifar10/test": "e54a434ec35094516eacbaac0f2f9550358d985e9d1f71b47d41d333c15ba304",
    "cifar100/train": "f062ca493c4d44a3d0921f223fbc3b1e88b46fd03322e97c635a0ac2a5f8baab",
    "cifar100/test": "bd251483addf0530bc3e831455074dfa75f7657056fc2639e6b6aced382c06a9",
}
# Number of images of sets whose pixels depend on the JPEG decoder, or that nobody has hashed yet.
SIZES: dict[str, int] = {
    "svhn/train": 73_257,
    "svhn/test": 26_032,
    "tiny_imagenet/train": 100_000,
    "tiny_imagenet/test": 10_000,
    "imagenet/train": 1_281_167,
    "imagenet/test": 50_000,
}


def content_id(name: str, split: Split, images: NDArray[np.uint8], labels: NDArray[np.integer[Any]]) -> str:
    """Return ``name/split@sha256:...`` for images of shape (N, H, W, C) and labels of shape (N,).

    The images may be any view, such as one of a memory-mapped file; they are read in chunks.
    """
    digest = hashlib.sha256()
    step = max(1, CHUNK_BYTES // max(1, images[:1].size))
    for start in range(0, len(images), step):
        digest.update(np.ascontiguousarray(images[start : start + step]).data)
    digest.update(labels.astype("<i8").tobytes())
    return f"{name}/{split}@sha256:{digest.hexdigest()}"


def is_known(data_id: str, count: int) -> bool:
    """Say whether an id and a number of images agree with what is known of the data set; true if nothing is known."""
    key, _, digest = data_id.partition("@sha256:")
    return KNOWN.get(key, digest) == digest and SIZES.get(key, count) == count


@functools.cache
def warn_unless_known(data_id: str, count: int) -> None:
    """Say once that a file is not the data set whose name it carries."""
    if not is_known(data_id, count):
        name = data_id.partition("@")[0]
        log.warning("This is not the published %s: its own content names it, %s (%d images).", name, data_id, count)
