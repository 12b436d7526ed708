from __future__ import annotations

import io
from typing import Literal

import torch
from PIL import Image
from torch import Tensor

from stillproof.core.types import Card, Distilled, Hard, Space
from stillproof.sets import preview as module
from stillproof.sets.artifact import extra_files
from stillproof.transforms.space import make_front

RED, GREEN, BLUE, WHITE = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))


def a_set(images: Tensor, labels: list[int], classes: int, decode: Literal["none", "grid2x2"] = "none") -> Distilled:
    card = Card("own", 1, {}, "toy", "toy", 1, 0, "none", "", 0)
    return Distilled(images, Hard(torch.tensor(labels)), classes, Space("pixels"), card, decode)


def plain(colours: list[tuple[int, int, int]], size: int = 8) -> Tensor:
    values = torch.tensor(colours).float().div(255)[:, :, None, None]
    return values.expand(-1, -1, size, size).clone()


def pictures(distilled: Distilled) -> dict[str, Image.Image]:
    files = module.previews(distilled, make_front(distilled.space))
    return {name: Image.open(io.BytesIO(content)) for name, content in files.items()}


def tiles(picture: Image.Image, side: int, columns: int, rows: int) -> list[list[object]]:
    """The colour in the middle of each tile; tiles are counted from the right, since names stand on the left."""
    cell = side + module.GAP
    left = picture.width - module.GAP - columns * cell
    middle = module.GAP + side // 2
    return [
        [picture.getpixel((left + c * cell + middle, r * cell + middle)) for c in range(columns)] for r in range(rows)
    ]


def darkest(picture: Image.Image) -> int:
    return min(picture.convert("L").tobytes())


def test_one_class_per_row_beside_its_name() -> None:
    picture = pictures(a_set(plain([RED, BLUE, GREEN, WHITE]), [1, 0, 1, 0], 2))["preview.png"]
    assert tiles(picture, 48, 2, 2) == [[BLUE, WHITE], [RED, GREEN]]
    assert picture.height == 2 * 50 + module.GAP
    left = picture.crop((0, 0, picture.width - 2 * 50 - 2 * module.GAP, picture.height))
    for top in (0, 50):
        assert darkest(left.crop((0, top, left.width, top + 50))) < 100, "a number in black"


def test_names_of_classes_come_from_the_data_set() -> None:
    made = a_set(plain([RED] * 10), list(range(10)), 10)
    numbers = pictures(made)["preview.png"].width
    named = Distilled(made.images, made.labels, 10, made.space, Card("own", 1, {}, "cifar10", "", 1, 0, "", "", 0))
    assert pictures(named)["preview.png"].width > numbers + 40  # "automobile" takes more room than "9"


def test_what_is_left_out_is_said() -> None:
    many, classes = module.MOST_COLUMNS + 3, module.MOST_ROWS + 2
    labels = [label for label in range(classes) for _ in range(many)]
    whole = pictures(a_set(plain([RED] * 20), [label // 10 for label in range(20)], 2))["preview.png"]
    cut = pictures(a_set(plain([RED] * len(labels)), labels, classes))["preview.png"]
    assert whole.height == 2 * 50 + module.GAP
    assert cut.height == module.MOST_ROWS * 50 + module.GAP + module.LINE
    assert darkest(cut.crop((0, cut.height - module.LINE, cut.width, cut.height))) < 100
    rows = [module._Row("0", torch.zeros(10, 1, 8, 8), 50)]
    assert module._left_out(rows, 1) == "the first 10 of 50 images per class"
    assert module._left_out(rows, 100) == "the first 10 of 50 images per class, the first 1 of 100 classes"


def test_classes_without_images_take_no_room() -> None:
    picture = pictures(a_set(plain([RED, BLUE]), [40, 70], 100))["preview.png"]
    assert tiles(picture, 48, 1, 2) == [[RED], [BLUE]]


def test_large_images_are_made_smaller() -> None:
    picture = pictures(a_set(plain([RED] * 3, size=224), [0, 0, 0], 1))["preview.png"]
    assert picture.height == module.LARGEST + 2 * module.GAP


def test_packed_images_are_shown_as_stored_and_as_decoded() -> None:
    packed = torch.zeros(2, 3, 8, 8)
    corners = [(0, 0), (4, 0), (0, 4), (4, 4)]  # in the order in which they are decoded
    for image, colours in enumerate(([RED, GREEN, BLUE, WHITE], [WHITE, BLUE, GREEN, RED])):
        for (top, left), colour in zip(corners, colours, strict=True):
            packed[image, :, top : top + 4, left : left + 4] = torch.tensor(colour)[:, None, None] / 255
    made = a_set(packed, [0, 0], 1, "grid2x2")
    found = pictures(made)
    assert tiles(found["preview_decoded.png"], 48, 8, 1) == [[RED, GREEN, BLUE, WHITE, WHITE, BLUE, GREEN, RED]]
    stored = found["preview.png"]
    left = stored.width - module.GAP - 2 * 50 + module.GAP
    assert [stored.getpixel((left + x, module.GAP + y)) for x, y in ((12, 12), (12, 36), (36, 12))] == [
        RED,
        GREEN,
        BLUE,
    ]
    assert b"preview_decoded.png" in extra_files(made, make_front(made.space))["README.md"]
