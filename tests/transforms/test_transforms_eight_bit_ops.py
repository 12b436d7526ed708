"""The operations on pixels of 8 bits, against what torchvision 0.12.0 makes of the same picture."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from stillproof.transforms.pixel_augmentation import to_eight_bits
from stillproof.transforms.pixel_table import EIGHT_BIT, OPERATIONS, apply_each

NUMBERS = torch.arange(48)
LEVELS = ((37 * NUMBERS * NUMBERS + 91 * NUMBERS) % 256).view(1, 3, 4, 4)

# What torchvision's functions of tensors return for LEVELS as uint8: operation, strength (in single precision), levels.
RETURNED = """
brightness 0.27
    0 162 93 119 238 127 109 185 30 255 2 129 25 15 99 255
    223 255 73 255 255 66 251 205 254 71 255 255 86 255 241 255
    121 40 53 160 35 5 68 226 152 172 255 170 147 218 58 255
colour -0.27
    30 137 70 117 190 89 102 149 54 200 46 125 30 49 94 221
    159 196 58 222 225 54 184 161 183 72 222 230 65 201 176 233
    100 67 46 141 73 19 79 172 124 130 210 149 100 166 71 244
contrast 0.54
    0 120 37 67 212 77 55 147 0 255 0 80 0 0 43 255
    194 243 12 255 255 3 228 172 231 9 255 255 27 255 215 255
    70 0 0 117 0 0 6 197 107 132 255 129 101 187 0 255
sharpness -0.9
    0 128 74 94 188 95 99 146 24 138 68 102 20 12 78 218
    176 208 58 238 236 118 175 162 200 122 202 246 68 220 190 234
    96 32 42 126 28 52 84 178 120 113 168 134 116 172 46 250
autocontrast 0
    0 140 81 103 206 109 94 160 26 255 2 112 21 13 85 239
    162 205 7 244 241 0 191 144 194 5 249 255 21 220 181 239
    95 29 39 126 24 0 51 180 120 136 230 134 116 174 43 254
hue 0.13
    0 31 65 94 27 73 53 154 24 232 2 102 46 12 45 226
    118 208 74 237 236 100 198 146 142 113 70 245 19 105 190 218
    176 73 42 238 30 4 134 178 200 56 242 246 116 220 126 250
"""


def cases() -> list[tuple[str, float, list[int]]]:
    words = RETURNED.split()
    starts = [place for place, word in enumerate(words) if word in OPERATIONS]
    return [(words[at], float(words[at + 1]), [int(word) for word in words[at + 2 : at + 50]]) for at in starts]


def changed(name: str, levels: Tensor, strength: float) -> Tensor:
    images = apply_each(levels / 255, [name] * len(levels), [strength] * len(levels), eight_bit=True)
    return (to_eight_bits(images) * 255).round().int()


@pytest.mark.parametrize(("name", "strength", "expected"), cases())
def test_every_level_is_that_of_torchvision(name: str, strength: float, expected: list[int]) -> None:
    assert changed(name, LEVELS, strength).flatten().tolist() == expected


def test_all_that_differ_from_the_operations_on_real_numbers_are_among_them() -> None:
    assert {name for name, _, _ in cases()} == {name for name in OPERATIONS if EIGHT_BIT[name] != OPERATIONS[name]}


@pytest.mark.parametrize(("name", "strength"), [(name, strength) for name, strength, _ in cases()])
@pytest.mark.parametrize("channels", [1, 3])
def test_roundings_cost_no_more_than_a_level_or_two(name: str, strength: float, channels: int) -> None:
    levels = LEVELS[:, :channels]
    real = apply_each(levels / 255, [name], [strength])[0] * 255
    assert (changed(name, levels, strength)[0] - real).abs().max() <= 2


@pytest.mark.parametrize("name", sorted(EIGHT_BIT))
def test_pictures_that_have_nothing_to_change_stay(name: str) -> None:
    flat = torch.full((2, 3, 4, 4), 77)
    if name not in ("invert", "solarize", "posterize"):
        assert torch.equal(changed(name, flat, 0.0), flat)


def test_pictures_too_small_to_smooth_stay() -> None:
    assert torch.equal(changed("sharpness", LEVELS[:, :, :2], 0.9), LEVELS[:, :, :2])
