"""A data set that takes no time: three classes of 8 x 8 images that differ in where they are bright."""

from __future__ import annotations

import torch
from torch import nn

from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, ImageSet
from stillproof.train.meta.attacked_data import AttackedData, UnderAttack

TOY = DataInfo("toy", 1, 8, 3, (0.4,), (0.25,), "none needed", ("left", "middle", "right"))
EACH = 12  # images per class


ATTACKS = ("darker", "brighter", "noisy")


def toy_images(seed: int = 0) -> ImageSet:
    """Return the images, the classes mixed."""
    generator = Seeds(seed).child("toy").torch()
    labels = torch.arange(TOY.num_classes).repeat(EACH)
    images = torch.rand(len(labels), 1, TOY.size, TOY.size, generator=generator) * 0.6
    for position, label in enumerate(labels.tolist()):
        images[position, :, :, 3 * label : 3 * label + 2] += 0.4
    pixels = images.mul(255).round().to(torch.uint8)
    return ImageSet(pixels, labels, TOY, f"toy/train@sha256:seed-{seed}")


def toy_attacked(front: nn.Module, sources: slice = slice(None), device: str = "cpu") -> AttackedData:
    """Return the images, or those of some sources, as changed in three ways, in place of attacks."""
    clean = toy_images()
    places = torch.arange(len(clean))[sources]
    pixels = clean.read(places)
    noise = 0.4 * torch.rand(pixels.shape, generator=Seeds(0).child("toy", "noise").torch())
    changed = dict(zip(ATTACKS, (pixels - 0.3, pixels + 0.3, pixels + noise), strict=True))
    attacks = [
        UnderAttack(name, images.clamp(0, 1).mul(255).round().to(torch.uint8), clean.labels[places], places)
        for name, images in changed.items()
    ]
    return AttackedData(attacks, clean, front, device)
