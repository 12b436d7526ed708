"""A data set that takes no time: three classes of 8 x 8 images that differ in where they are bright."""

from __future__ import annotations

import torch

from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, ImageSet

TOY = DataInfo("toy", 1, 8, 3, (0.4,), (0.25,), "none needed", ("left", "middle", "right"))
EACH = 12  # images per class


def toy_images(seed: int = 0) -> ImageSet:
    """Return the images, the classes mixed."""
    generator = Seeds(seed).child("toy").torch()
    labels = torch.arange(TOY.num_classes).repeat(EACH)
    images = torch.rand(len(labels), 1, TOY.size, TOY.size, generator=generator) * 0.6
    for position, label in enumerate(labels.tolist()):
        images[position, :, :, 3 * label : 3 * label + 2] += 0.4
    pixels = images.mul(255).round().to(torch.uint8)
    return ImageSet(pixels, labels, TOY, f"toy/train@sha256:seed-{seed}")
