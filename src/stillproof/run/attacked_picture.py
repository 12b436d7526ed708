"""A picture of attacked images: each as it was, its change made visible, and what it became."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Pixels = npt.NDArray[np.float32]  # (C, H, W) in [0, 1]

SMALLEST, LARGEST = 80, 112  # pixels on the screen for one image
GAP = 6
LINE = 16  # height of a line of text
SIZE = 11  # of letters
LARGEST_FACTOR = 100


@dataclass(frozen=True)
class AttackedImage:
    """One image before and after.

    Args:
        before: The clean image.
        after: The changed one.
        label: Its class.
        said: What the model says of the changed one.
    """

    before: Pixels
    after: Pixels
    label: str
    said: str


def class_named(answer: int, names: Sequence[str]) -> str:
    """Return what an answer is called: by its number where a model has more answers than there are classes."""
    return names[answer] if answer < len(names) else str(answer)


def attacked_picture(images: Sequence[AttackedImage], title: str) -> Image.Image:
    """Return one column per image: clean, its change from grey on, enlarged by one factor for all, and changed."""
    font = ImageFont.load_default(size=SIZE)
    factor = factor_for(images)
    names = ("clean", f"change x {factor:g}", "attacked")
    left = int(max(font.getlength(name) for name in names)) + 3 * GAP
    side = side_for(images[0].before.shape[-1])
    cell = side + GAP
    width = max(left + len(images) * cell + GAP, int(font.getlength(title)) + 2 * GAP)
    sheet = Image.new("RGB", (width, 3 * cell + 3 * LINE + 2 * GAP), "white")
    draw = ImageDraw.Draw(sheet)
    draw.text((GAP, GAP // 2), title, fill="black", font=font)
    first = 2 * LINE + GAP
    for row, name in enumerate(names):
        draw.text((left - 2 * GAP, first + row * cell + side // 2), name, fill="black", font=font, anchor="rm")
    for column, image in enumerate(images):
        x = left + column * cell
        grey = 0.5 + factor * (image.after - image.before)
        for row, shown in enumerate((image.before, grey, image.after)):
            sheet.paste(tile(shown, side), (x, first + row * cell))
        held = image.label == image.said
        write_centred(draw, x, first - LINE, side, image.label, "black", font)
        write_centred(draw, x, first + 3 * cell - GAP // 2, side, image.said, "black" if held else "firebrick", font)
    return sheet


def factor_for(images: Sequence[AttackedImage]) -> float:
    """Return a round factor that makes the largest change fill the range of pixels."""
    largest = max(float(np.abs(image.after - image.before).max()) for image in images)
    if largest <= 0:
        return 1.0
    exact = min(0.5 / largest, LARGEST_FACTOR)
    return float(max(1, int(exact))) if exact >= 1 else exact


def side_for(size: int) -> int:
    """Return how large an image is shown: small ones a whole number of times as large."""
    return size * -(-SMALLEST // size) if size < SMALLEST else min(size, LARGEST)


def tile(pixels: Pixels, side: int) -> Image.Image:
    """Turn (C, H, W) pixels into a square; small images keep their sharp edges."""
    colour = np.broadcast_to(pixels, (3, *pixels.shape[1:])).transpose(1, 2, 0)
    bytes_ = (np.clip(colour, 0, 1) * 255).round().astype(np.uint8)
    way = Image.Resampling.NEAREST if side >= pixels.shape[-1] else Image.Resampling.BOX
    return Image.fromarray(np.ascontiguousarray(bytes_)).resize((side, side), way)


def write_centred(draw: ImageDraw.ImageDraw, x: int, y: int, side: int, text: str, colour: str, font: object) -> None:
    """Write a text in the middle above or below an image, as much of it as there is room for."""
    while draw.textlength(text, font=font) > side and len(text) > 1:  # type: ignore[arg-type]
        text = f"{text.removesuffix('.')[:-1]}."
    draw.text((x + side // 2, y), text, fill=colour, font=font, anchor="ma")  # type: ignore[arg-type]
