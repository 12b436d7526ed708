"""How a teacher sees a batch of images while they are recovered: shifted, and perhaps cut out."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from stillproof.core.seeds import Seeds
from stillproof.transforms.crop_flip import random_flip
from stillproof.transforms.crop_resize import crop_resize
from stillproof.transforms.draws import Draws
from stillproof.transforms.resized_crop import random_boxes

View = Literal["whole", "crop"]


def seen(images: Tensor, view: View, jitter: int, seeds: Seeds) -> Tensor:
    """Return the batch as the teacher sees it: rolled by up to ``jitter`` pixels, what leaves coming in opposite.

    ``crop`` cuts a box out of it first and flips it half of the time. All images are changed alike, as in the original,
    which gives whole batches to torchvision.
    """
    draws = Draws(len(images), seeds.torch(), shared=True)
    if view == "crop":
        images = random_flip(crop_resize(images, random_boxes(draws, images.shape[2:])), draws)
    down, right = draws.integers(0, jitter + 1, 2)[0].tolist()
    return torch.roll(images, (down, right), dims=(2, 3))
