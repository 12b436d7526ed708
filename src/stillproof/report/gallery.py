"""Pictures of distilled sets side by side, from the previews that their artifacts carry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from stillproof.core.errors import BadInput, Corrupt
from stillproof.core.open_picture import open_picture

MARGIN = 16
TITLE = 22
WIDEST = 2400  # pixels; what does not fit beside the others begins a new line


def side_by_side(previews: Sequence[tuple[str, Path]]) -> Image.Image:
    """Return one picture with every preview under its title, in as many lines as are needed."""
    font = ImageFont.load_default(size=14)
    pictures = [(title, _open(path)) for title, path in previews]
    sizes = [(max(image.width, int(font.getlength(title))), image.height + TITLE) for title, image in pictures]
    places, sheet_size = _flow(sizes)
    sheet = Image.new("RGB", sheet_size, "white")
    draw = ImageDraw.Draw(sheet)
    for (title, image), (left, top) in zip(pictures, places, strict=True):
        draw.text((left, top), title, fill="black", font=font)
        sheet.paste(image, (left, top + TITLE))
    return sheet


def _flow(sizes: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Return the upper left corner of each box, laid out in lines like text, and the size of the whole."""
    places: list[tuple[int, int]] = []
    left, top, right, bottom = MARGIN, MARGIN // 2, 0, 0
    for width, height in sizes:
        if left > MARGIN and left + width + MARGIN > WIDEST:
            left, top = MARGIN, bottom + MARGIN
        places.append((left, top))
        right, bottom = max(right, left + width), max(bottom, top + height)
        left += width + MARGIN
    return places, (right + MARGIN, bottom + MARGIN + MARGIN // 2)


def _open(path: Path) -> Image.Image:
    try:
        with open_picture(path) as image:
            return image.convert("RGB")
    except BadInput as error:
        raise Corrupt(f"{path} cannot be shown: {error}") from error
