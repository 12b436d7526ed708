"""Opens picture files: as PNG or JPEG and as nothing else, whatever they are named, and none that would fill memory."""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from PIL import Image, UnidentifiedImageError

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import open_regular

# Pillow goes by content, so that without this list a file named 0.png may be PostScript, which it has Ghostscript run.
FORMATS = ("PNG", "JPEG")
PNG = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 2**28 // 3  # a quarter of a gigabyte as RGB; no photograph of ImageNet has as many
CHUNK = 2**20
BROKEN = (OSError, SyntaxError, ValueError, TypeError, IndexError, EOFError, struct.error, zlib.error)


class BrokenPicture(BadInput):
    """A picture that cannot be used, and why, without its name."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be read as a picture: {reason}.")
        self.reason = reason


@contextmanager
def open_picture(path: Path) -> Iterator[Image.Image]:
    """Give the picture in a file, whose size is known and allowed before anything is decoded.

    Raises:
        BrokenPicture: It is no PNG or JPEG, too large, or turns out to be broken while it is used.
    """
    try:
        with open_regular(path) as file:
            _check_png(path, file)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # too many pixels are an error here
                opened = Image.open(file, formats=FORMATS)
            with opened as picture:
                check_pixel_count(path, *picture.size)
                yield picture
    except UnidentifiedImageError:
        raise BrokenPicture(path, "it is neither a PNG nor a JPEG") from None
    except Image.DecompressionBombError as error:
        raise BrokenPicture(path, f"it has more than {MOST_PIXELS} pixels") from error
    except BROKEN as error:
        raise BrokenPicture(path, plain_reason(error)) from error


def _check_png(path: Path, file: BinaryIO) -> None:
    """Refuse a PNG that is damaged: Pillow looks at the checksums of all parts but those that hold the pixels."""
    if file.read(len(PNG)) == PNG:
        kind = b""
        while kind != b"IEND":
            head = file.read(8)
            length, kind = struct.unpack(">I4s", head) if len(head) == 8 else (0, b"")
            found = zlib.crc32(kind)
            while length and (piece := file.read(min(length, CHUNK))):
                found, length = zlib.crc32(piece, found), length - len(piece)
            checksum = file.read(4)
            if len(checksum) < 4:
                raise BrokenPicture(path, "it is cut short")
            if found.to_bytes(4, "big") != checksum:
                raise BrokenPicture(path, "a checksum in it is wrong, so it is damaged")
    file.seek(0)


def check_pixel_count(path: Path, width: int, height: int) -> None:
    """Refuse a picture that has too many pixels, or that would get too many when it is resized."""
    if width * height > MOST_PIXELS:
        raise BrokenPicture(path, f"{width} x {height} are more than {MOST_PIXELS} pixels")
