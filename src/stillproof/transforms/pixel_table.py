"""The operations that augmentation policies choose from, by name, with the strengths that their levels stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from stillproof.transforms import eight_bit_ops, pixel_ops, pixel_warps

Operation = Callable[[Tensor, Tensor], Tensor]

OPERATIONS: Mapping[str, Operation] = {
    "identity": lambda images, _: images,
    "shear-x": pixel_warps.shear_across,
    "shear-y": pixel_warps.shear_down,
    "translate-x": pixel_warps.move_right,
    "translate-y": pixel_warps.move_down,
    "rotate": pixel_warps.turn,
    "brightness": pixel_ops.adjust_brightness,
    "colour": pixel_ops.adjust_colour,
    "contrast": pixel_ops.adjust_contrast,
    "sharpness": pixel_ops.adjust_sharpness,
    "posterize": pixel_ops.posterize,
    "solarize": pixel_ops.solarize,
    "autocontrast": pixel_ops.autocontrast,
    "equalize": pixel_ops.equalize,
    "invert": pixel_ops.invert,
    "hue": pixel_ops.shift_hue,
}

# The same on pixels of 8 bits.
EIGHT_BIT: Mapping[str, Operation] = {
    **OPERATIONS,
    "brightness": eight_bit_ops.adjust_brightness,
    "colour": eight_bit_ops.adjust_colour,
    "contrast": eight_bit_ops.adjust_contrast,
    "sharpness": eight_bit_ops.adjust_sharpness,
    "autocontrast": eight_bit_ops.autocontrast,
    "hue": eight_bit_ops.shift_hue,
}

# Strength at the highest level; these operations go both ways, and do nothing at level 0.
LARGEST: Mapping[str, float] = {
    "shear-x": 0.3,
    "shear-y": 0.3,
    "translate-x": 150 / 331,  # of the width
    "translate-y": 150 / 331,  # of the height
    "rotate": 30.0,  # degrees
    "brightness": 0.9,
    "colour": 0.9,
    "contrast": 0.9,
    "sharpness": 0.9,
}


def strength(operation: str, share: float, sign: int, images: Tensor) -> float:
    """Return how strongly an operation acts.

    Args:
        operation: Its name.
        share: Its level, as a share of the highest one.
        sign: 1 or -1; ignored by operations that go one way.
        images: The batch, for its height and width.
    """
    if operation == "posterize":
        return 8.0 - round(4 * share)
    if operation == "solarize":
        return 255 * (1 - share)
    size = {"translate-x": images.shape[3], "translate-y": images.shape[2]}.get(operation, 1)
    return sign * share * size * LARGEST.get(operation, 0.0)


def apply_each(
    images: Tensor, operations: Sequence[str], strengths: Sequence[float], *, eight_bit: bool = False
) -> Tensor:
    """Apply to every image its own operation, one call for all images that share one.

    With ``eight_bit``, pixels are whole 255ths before and after it.
    """
    table = EIGHT_BIT if eight_bit else OPERATIONS
    changed = images.clone()
    for name in sorted(set(operations)):
        chosen = [position for position, operation in enumerate(operations) if operation == name]
        index = torch.tensor(chosen, device=images.device)
        values = torch.tensor([strengths[position] for position in chosen], dtype=images.dtype, device=images.device)
        changed[index] = table[name](images[index], values)
    return changed
