"""Opens picture files: as PNG or JPEG and as nothing else, whatever they are named, and none that would fill memory."""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from stillproof.core.errors import BadInput

# Pillow goes by content, so that without this list a file named 0.png may be PostScript, which it has Ghostscript run.
FORMATS = ("PNG", "JPEG")
MOST_PIXELS = 2**28 // 3  # a quarter of a gigabyte as RGB; no photograph of ImageNet has as many
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # too many pixels are an error here
            opened = Image.open(path, formats=FORMATS)
        with opened as picture:
            check_pixel_count(path, *picture.size)
            yield picture
    except UnidentifiedImageError:
        raise BrokenPicture(path, "it is neither a PNG nor a JPEG") from None
    except Image.DecompressionBombError as error:
        raise BrokenPicture(path, f"it has more than {MOST_PIXELS} pixels") from error
    except BROKEN as error:
        raise BrokenPicture(path, str(error).rstrip(".")) from error


def check_pixel_count(path: Path, width: int, height: int) -> None:
    """Refuse a picture that has too many pixels, or that would get too many when it is resized."""
    if width * height > MOST_PIXELS:
        raise BrokenPicture(path, f"{width} x {height} are more than {MOST_PIXELS} pixels")
