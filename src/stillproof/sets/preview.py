"""Pictures of a distilled set: one class per row under its name, as pixels, large enough to be seen."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from PIL import Image, ImageDraw, ImageFont
from torch import Tensor

from stillproof.core.errors import StillproofError
from stillproof.core.types import Distilled
from stillproof.data.load import source
from stillproof.transforms.decode import decode_images
from stillproof.transforms.front import Front
from stillproof.transforms.space import to_pixels

MOST_ROWS = 20  # classes
MOST_COLUMNS = 10  # images per class
SMALLEST, LARGEST = 48, 112  # pixels on the screen for one image
GAP = 2
LINE = 18  # height of a line of text
LONGEST_NAME = 18  # letters


@dataclass(frozen=True)
class _Row:
    name: str
    pixels: Tensor  # (n, C, H, W) in [0, 1]
    total: int  # images of the class, shown or not


def previews(distilled: Distilled, front: Front) -> dict[str, bytes]:
    """Return the pictures as PNG by file name."""
    return {name: _png(picture) for name, picture in pictures(distilled, front).items()}


def pictures(distilled: Distilled, front: Front) -> dict[str, Image.Image]:
    """Return the pictures by file name: as stored and, where four images are stored in one, as decoded too."""
    found = {"preview.png": _picture(distilled, front, "none")}
    if distilled.decode != "none":
        found["preview_decoded.png"] = _picture(distilled, front, distilled.decode)
    return found


def _png(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()


def _picture(distilled: Distilled, front: Front, decode: str) -> Image.Image:
    label = distilled.labels.classes
    present = sorted(set(label.tolist()))
    names = _class_names(distilled)
    rows = [_row(names.get(c, str(c)), distilled.images[label == c], front, decode) for c in present[:MOST_ROWS]]
    return _draw(rows, _left_out(rows, len(present)))


def _class_names(distilled: Distilled) -> Mapping[int, str]:
    """Return the names of the classes, as far as the data set names them and is known here."""
    try:
        names = source(distilled.card.dataset).info.class_names
    except StillproofError:
        names = ()
    return dict(enumerate(names)) if len(names) == distilled.num_classes else {}


def _row(name: str, images: Tensor, front: Front, decode: str) -> _Row:
    """Return what is shown of one class; the parts of one stored image stand side by side."""
    stored = images[:MOST_COLUMNS]
    parts = decode_images(stored, decode)  # all first quadrants, then all second ones
    each = len(parts) // len(stored)
    shown = parts.reshape(each, *stored.shape).transpose(0, 1).flatten(0, 1)[:MOST_COLUMNS]
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."
    return _Row(short, to_pixels(shown, front), each * len(images))


def _left_out(rows: Sequence[_Row], present: int) -> str:
    """Say which part of the set is shown, if it is not all of it."""
    shown, total = (max(numbers) for numbers in zip(*((len(row.pixels), row.total) for row in rows), strict=True))
    parts = [f"the first {shown} of {total} images per class"] if shown < total else []
    parts += [f"the first {len(rows)} of {present} classes"] if len(rows) < present else []
    return ", ".join(parts)


def _draw(rows: Sequence[_Row], footer: str) -> Image.Image:
    font = ImageFont.load_default(size=13)
    size = rows[0].pixels.shape[-1]
    side = size * -(-SMALLEST // size) if size < SMALLEST else min(size, LARGEST)
    cell = side + GAP
    left = max(int(font.getlength(row.name)) for row in rows) + 4 * GAP
    width = left + max(len(row.pixels) for row in rows) * cell + GAP
    bottom = len(rows) * cell + GAP
    sheet_size = (max(width, int(font.getlength(footer)) + 2 * GAP), bottom + (LINE if footer else 0))
    sheet = Image.new("RGB", sheet_size, "white")
    draw = ImageDraw.Draw(sheet)
    for r, row in enumerate(rows):
        top = GAP + r * cell
        draw.text((left - 2 * GAP, top + side // 2), row.name, fill="black", font=font, anchor="rm")
        for c, image in enumerate(row.pixels):
            sheet.paste(_tile(image, side), (left + GAP + c * cell, top))
    draw.text((GAP, bottom), footer, fill="black", font=font)
    return sheet


def _tile(image: Tensor, side: int) -> Image.Image:
    """Turn (C, H, W) pixels into a square of ``side`` pixels; small images keep their sharp edges."""
    colour = image.expand(3, -1, -1).permute(1, 2, 0).mul(255).round().to(torch.uint8)
    enlarged = side >= image.shape[-1]
    way = Image.Resampling.NEAREST if enlarged else Image.Resampling.BOX
    return Image.fromarray(colour.contiguous().numpy()).resize((side, side), way)
