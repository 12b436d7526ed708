"""The files that an artifact folder may hold, and how they are read: regular ones, none larger than stated."""

from __future__ import annotations

import errno
import logging
import os
import stat
from pathlib import Path

from stillproof.core.errors import Corrupt
from stillproof.store.error_sentences import disk_trouble

TENSORS = "tensors.safetensors"
CARD = "card.json"
# For people to look at: a page, and pictures of what is in the tensors.
PAGE = ("README.md", "preview.png")
BESIDE = {"distilled": (*PAGE, "preview_decoded.png")}  # of an artifact of this kind; of any other, a page
MOST_BYTES = {TENSORS: 2**33, CARD: 2**25}  # the largest honest ones: weights of a whole training, a long recipe
MOST_BESIDE = 2**26

log = logging.getLogger("stillproof")


def beside(kind: str) -> tuple[str, ...]:
    """Return the names of the files that an artifact of a kind may have beside its card and tensors."""
    return BESIDE.get(kind, PAGE)


def read_regular(path: Path) -> bytes | None:
    """Return the content of a file of an artifact; nothing if there is none.

    Raises:
        Corrupt: It is a link, a pipe or a device, or larger than any such file.
    """
    with disk_trouble(path):
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # a pipe would be waited for
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                return None
            if error.errno not in (errno.ELOOP, errno.ENXIO):  # a link; a socket
                raise
            raise _irregular(path) from None
        try:
            size = _size(handle, path)
        except Corrupt:
            os.close(handle)
            raise
        with os.fdopen(handle, "rb") as file:
            return file.read(size)


def _size(handle: int, path: Path) -> int:
    """Return the size of a file that was opened, if it may be read."""
    about, most = os.fstat(handle), MOST_BYTES.get(path.name, MOST_BESIDE)
    if not stat.S_ISREG(about.st_mode):
        raise _irregular(path)
    if about.st_size > most:
        raise Corrupt(f"{path} has {about.st_size} bytes, and no such file of an artifact has more than {most}.")
    return about.st_size


def _irregular(path: Path) -> Corrupt:
    return Corrupt(f"{path} is no regular file, as those of an artifact are: put the file itself in its place.")


def read_beside(folder: Path, kind: str) -> dict[str, bytes]:
    """Return the files for people to look at that belong to an artifact of a kind, by name; no others are read."""
    found = {}
    for name in beside(kind):
        try:
            data = read_regular(folder / name)
        except Corrupt as error:
            log.warning("%s It is left out.", error)
            continue
        if data is not None:
            found[name] = data
    return found
