"""Pictures of distilled sets side by side, from the previews that their artifacts carry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from stillproof.core.errors import Corrupt

MARGIN = 16
TITLE = 22


def side_by_side(previews: Sequence[tuple[str, Path]]) -> Image.Image:
    """Return one picture with every preview under its title."""
    pictures = [(title, _open(path)) for title, path in previews]
    font = ImageFont.load_default(size=14)
    widths = [max(image.width, int(font.getlength(title))) for title, image in pictures]
    width = sum(widths) + MARGIN * (len(pictures) + 1)
    height = max(image.height for _, image in pictures) + TITLE + 2 * MARGIN
    sheet = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(sheet)
    left = MARGIN
    for (title, image), column in zip(pictures, widths, strict=True):
        draw.text((left, MARGIN // 2), title, fill="black", font=font)
        sheet.paste(image, (left, MARGIN // 2 + TITLE))
        left += column + MARGIN
    return sheet


def _open(path: Path) -> Image.Image:
    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except OSError as error:
        raise Corrupt(f"{path} cannot be shown: {error}.") from error
