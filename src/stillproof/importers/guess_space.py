"""Guesses what the numbers of an image are where the format does not say it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.importers.eight_bit import is_eight_bit
from stillproof.sets.checks import looks_like_bytes


def guess_space(images: Tensor, name: str) -> tuple[Literal["pixels", "normalised"], str]:
    """Return pixels if all values are in [0, 1] or 8-bit, else normalised, and why."""
    if images.numel() == 0:
        raise BadInput(f"{name} holds no images.")
    if is_eight_bit(images):
        return "pixels", "taken for pixels, since they are 8-bit whole numbers"
    low, high = float(images.min()), float(images.max())
    reach = f"values reach from {low:.3g} to {high:.3g}"
    if low >= 0 and high <= 1:
        return "pixels", f"taken for pixels, since {reach} (--space says otherwise)"
    if looks_like_bytes(low, high):
        raise BadInput(f"{name}: {reach}: divide by 255 first, so that pixels are in [0, 1].")
    return "normalised", f"taken for normalised images, since {reach} (--space says otherwise)"


def says_zca(path: Path) -> bool:
    """Say whether a name, or the folder it is in, speaks of ZCA whitening and does not deny it."""
    words = re.split(r"[^a-z0-9]+", f"{path.parent.name}/{path.name}".lower())
    pairs = zip(["", *words], words, strict=False)
    return any(word == "zca" and before not in ("no", "not", "without") for before, word in pairs)
