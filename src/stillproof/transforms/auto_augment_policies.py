"""AutoAugment's pairs of operations, as found on two data sets: name, probability and level from 0 to 9 of each."""

from __future__ import annotations

from collections.abc import Mapping

Step = tuple[str, float, int]
Pair = tuple[Step, Step]

# One pair per line; operations without a strength have level 0.
CIFAR10 = """
invert 0.1 0        contrast 0.2 6
rotate 0.7 2        translate-x 0.3 9
sharpness 0.8 1     sharpness 0.9 3
shear-y 0.5 8       translate-y 0.7 9
autocontrast 0.5 0  equalize 0.9 0
shear-y 0.2 7       posterize 0.3 7
colour 0.4 3        brightness 0.6 7
sharpness 0.3 9     brightness 0.7 9
equalize 0.6 0      equalize 0.5 0
contrast 0.6 7      sharpness 0.6 5
colour 0.7 7        translate-x 0.5 8
equalize 0.3 0      autocontrast 0.4 0
translate-y 0.4 3   sharpness 0.2 6
brightness 0.9 6    colour 0.2 8
solarize 0.5 2      invert 0.0 0
equalize 0.2 0      autocontrast 0.6 0
equalize 0.2 0      equalize 0.6 0
colour 0.9 9        equalize 0.6 0
autocontrast 0.8 0  solarize 0.2 8
brightness 0.1 3    colour 0.7 0
solarize 0.4 5      autocontrast 0.9 0
translate-y 0.9 9   translate-y 0.7 9
autocontrast 0.9 0  solarize 0.8 3
equalize 0.8 0      invert 0.1 0
translate-y 0.7 9   autocontrast 0.9 0
"""

IMAGENET = """
posterize 0.4 8     rotate 0.6 9
solarize 0.6 5      autocontrast 0.6 0
equalize 0.8 0      equalize 0.6 0
posterize 0.6 7     posterize 0.6 6
equalize 0.4 0      solarize 0.2 4
equalize 0.4 0      rotate 0.8 8
solarize 0.6 3      equalize 0.6 0
posterize 0.8 5     equalize 1.0 0
rotate 0.2 3        solarize 0.6 8
equalize 0.6 0      posterize 0.4 6
rotate 0.8 8        colour 0.4 0
rotate 0.4 9        equalize 0.6 0
equalize 0.0 0      equalize 0.8 0
invert 0.6 0        equalize 1.0 0
colour 0.6 4        contrast 1.0 8
rotate 0.8 8        colour 1.0 2
colour 0.8 8        solarize 0.8 7
sharpness 0.4 7     invert 0.6 0
shear-x 0.6 5       equalize 1.0 0
colour 0.4 0        equalize 0.6 0
equalize 0.4 0      solarize 0.2 4
solarize 0.6 5      autocontrast 0.6 0
invert 0.6 0        equalize 1.0 0
colour 0.6 4        contrast 1.0 8
equalize 0.8 0      equalize 0.6 0
"""


def _read(table: str) -> tuple[Pair, ...]:
    words = [line.split() for line in table.strip().splitlines()]
    return tuple(((a, float(p), int(i)), (b, float(q), int(j))) for a, p, i, b, q, j in words)


POLICIES: Mapping[str, tuple[Pair, ...]] = {"cifar10": _read(CIFAR10), "imagenet": _read(IMAGENET)}
