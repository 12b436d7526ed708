"""Opens files that people name: regular ones alone, since a pipe waits for ever and a device may never end."""

from __future__ import annotations

import gzip
import io
import os
import stat
from pathlib import Path
from typing import BinaryIO

TEXT_BYTES = 10**7  # more than any configuration, log or table that is read has


class NotRegular(OSError):
    """What has that name is a pipe, a socket or a device."""


class TooLarge(OSError):
    """A file has more bytes than one of its kind can have."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading, without waiting.

    Raises:
        OSError: It is not there, or is no regular file.
    """
    # Path.open takes no opener.
    file = open(path, "rb", opener=_open_at_once)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NotRegular("it is no regular file")
    return file


def read_regular(path: Path, most: int | None = None) -> bytes:
    """Return the content of a regular file, unless it has more than ``most`` bytes.

    Raises:
        OSError: As in ``open_regular``, or it is too large.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise TooLarge(f"it has {size} bytes, and {most} are the most that are read of its kind")
        return file.read()


def read_regular_text(path: Path, most: int = TEXT_BYTES) -> str:
    """Return the content of a regular text file in UTF-8, as ``Path.read_text`` would."""
    return read_regular(path, most).decode().replace("\r\n", "\n").replace("\r", "\n")


def unpack_gzip(content: bytes, most: int) -> bytes:
    """Return what gzip packed, unless that has more than ``most`` bytes; its checksum is looked at.

    Raises:
        OSError: It is damaged, or too large.
    """
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        unpacked = file.read(most + 1)
    if len(unpacked) > most:
        raise TooLarge(f"it unpacks to more than {most} bytes")
    return unpacked


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
