from __future__ import annotations

import numpy as np
import pytest

from stillproof.run.attacked_picture import GAP, LINE, AttackedImage, attacked_picture


def image(value: float, change: float, channels: int = 3, size: int = 8, said: str = "dog") -> AttackedImage:
    before = np.full((channels, size, size), value, np.float32)
    return AttackedImage(before, before + np.float32(change), "cat", said)


@pytest.mark.parametrize(
    ("channels", "size", "side"), [(1, 8, 80), (3, 32, 96), (3, 64, 128), (3, 100, 100), (3, 224, 112)]
)
def test_every_image_has_a_column_of_three(channels: int, size: int, side: int) -> None:
    made = attacked_picture([image(0.5, 0.02, channels, size), image(0.25, 0.01, channels, size)], "pgd")
    cell = side + GAP
    assert made.height == 3 * cell + 3 * LINE + 2 * GAP and made.width > 2 * cell
    pixels = np.asarray(made)
    left, first = made.width - 2 * cell - GAP, 2 * LINE + GAP
    middle = [pixels[first + row * cell + side // 2, left + side // 2].tolist() for row in range(3)]
    assert middle == [[128] * 3, [255] * 3, [133] * 3], "0.5, then 25 times 0.02 from grey on, then 0.52"
    second = pixels[first + cell + side // 2, left + cell + side // 2].tolist()
    assert second == [191] * 3, "one factor for all"


def test_images_that_did_not_change_and_long_names_are_shown() -> None:
    still = attacked_picture([image(0.5, 0.0, said="cat")], "none")
    assert still.width > 80
    red = attacked_picture([image(0.5, 0.1, said="a name that is much too long for its column")], "pgd")
    assert any(pixel == (178, 34, 34) for _, pixel in red.getcolors(1 << 24) or ())
    assert not any(pixel == (178, 34, 34) for _, pixel in still.getcolors(1 << 24) or ())


def test_changes_larger_than_the_range_are_made_smaller() -> None:
    made = attacked_picture([image(0.0, 1.0)], "x")
    assert (255, 255, 255) in {pixel for _, pixel in made.getcolors(1 << 24) or ()}
