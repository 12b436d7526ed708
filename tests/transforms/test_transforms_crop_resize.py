from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from torch.nn import functional as F

from stillproof.transforms.crop_resize import crop_resize


@st.composite
def boxes(draw: st.DrawFn, size: int = 12) -> tuple[int, int, int, int]:
    height, width = draw(st.integers(1, size)), draw(st.integers(1, size))
    return draw(st.integers(0, size - height)), draw(st.integers(0, size - width)), height, width


@given(st.lists(boxes(), min_size=1, max_size=4), st.integers(0, 100))
def test_every_image_gets_the_inside_of_its_own_box(several: list[tuple[int, int, int, int]], seed: int) -> None:
    images = torch.rand(len(several), 2, 12, 12, generator=torch.Generator().manual_seed(seed))
    found = crop_resize(images, torch.tensor(several))
    for image, made, (top, left, height, width) in zip(images, found, several, strict=True):
        inside = image[None, :, top : top + height, left : left + width]
        torch.testing.assert_close(made[None], F.interpolate(inside, size=(12, 12), mode="bilinear"))


@given(boxes())
def test_it_is_what_pillow_does_but_for_rounding(box: tuple[int, int, int, int]) -> None:
    top, left, height, width = box
    pixels = np.random.default_rng(0).integers(0, 256, (12, 12), dtype=np.uint8)
    cut = Image.fromarray(pixels).crop((left, top, left + width, top + height))
    expected = np.asarray(cut.resize((12, 12), Image.Resampling.BILINEAR)).astype(np.float32)
    found = crop_resize(torch.from_numpy(pixels).float().view(1, 1, 12, 12), torch.tensor([box]))
    assert np.abs(found[0, 0].numpy() - expected).max() <= 1.01


def test_the_whole_image_stays_as_it_is() -> None:
    images = torch.randn(3, 3, 8, 8)
    torch.testing.assert_close(crop_resize(images, torch.tensor([[0, 0, 8, 8]] * 3)), images)


@given(st.lists(boxes(), min_size=1, max_size=3), st.integers(1, 20))
def test_another_size_is_what_torchvision_gives_with_antialiasing(
    several: list[tuple[int, int, int, int]], size: int
) -> None:
    images = torch.rand(len(several), 2, 12, 12, generator=torch.Generator().manual_seed(1))
    found = crop_resize(images, torch.tensor(several), size)
    for image, made, (top, left, height, width) in zip(images, found, several, strict=True):
        inside = image[None, :, top : top + height, left : left + width]
        expected = F.interpolate(inside, size=(size, size), mode="bilinear", antialias=True)
        torch.testing.assert_close(made[None], expected, rtol=1e-4, atol=1e-5)
