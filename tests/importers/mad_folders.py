"""Writes folders in MAD's layout, as its code does: digits with a little noise, or any pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stillproof.data.load import load

TEST = load("digits", "test", Path())
ROLES = (("train", 3), ("val", 1), ("test", 2))  # of each class
PER_CLASS = 6


def sources() -> dict[str, int]:
    """Return which test image each picture of ``noisy`` is made of, by the picture's place below its attack."""
    found: dict[str, int] = {}
    for label in range(10):
        places = iter(TEST.of_class(label).tolist())
        for split, count in ROLES:
            found |= {f"{split}/{label}/{label}_{number}.png": next(places) for number in range(count)}
    return found


def noisy(root: Path, *attacks: str, most: int = 20) -> Path:
    """Write six pictures of each digit per attack, each level changed by at most so much."""
    for seed, attack in enumerate(attacks):
        draws = np.random.default_rng(seed)
        for name, place in sources().items():
            change = draws.integers(-most, most + 1, (8, 8))
            write(root / attack / name, (TEST.images[place, 0].numpy() + change).clip(0, 255).astype(np.uint8))
    return root


def write(file: Path, pixels: NDArray[np.uint8]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(file)
