"""Reads numpy's files as others wrote them: what a header declares is checked before its numbers are read."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.regular_file import open_regular
from stillproof.core.stand_ins import shown
from stillproof.data.pickled_numpy import CODES
from stillproof.data.zip_records import SLACK, check_records, fill, open_record

MOST_PACKED = 100  # times its own size that a file may unpack to: images never shrink as much
MOST_HEADER = 10_000  # bytes; numpy's own limit
HEADERS: dict[tuple[int, int], tuple[int, Callable[..., Any]]] = {  # bytes of their lengths, and who reads them
    (1, 0): (2, npy.read_array_header_1_0),
    (2, 0): (4, npy.read_array_header_2_0),
}

Array = NDArray[Any]


@dataclass(frozen=True)
class Declared:
    """What a header says of the array behind it."""

    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]

    def array(self, content: NDArray[np.uint8]) -> Array:
        """Return the array that bytes are."""
        return content.view(self.dtype).reshape(self.shape, order="F" if self.by_column else "C")


@contextmanager
def _broken(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{path} {error}") from None
    except Exception as error:  # a broken file can raise anything
        raise BadInput(f"{path} is cut short, damaged or {what}: get it again.") from error


def read_npy(path: Path) -> Array:
    """Return the array of a ``.npy`` file.

    Raises:
        BadInput: It is broken, or holds anything but numbers of the usual types.
    """
    with _broken(path, "no array of numbers"), open_regular(path) as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        declared, length = _declared(file, size)
        return declared.array(np.fromfile(file, np.uint8, size - length))


def npz_names(path: Path) -> list[str]:
    """Return the names of the arrays in a ``.npz`` file."""
    with _broken(path, "no .npz"), _opened(path) as (_, entries):
        return list(entries)


def read_npz(path: Path, *names: str) -> list[Array]:
    """Return arrays of a ``.npz`` file by their names, from records whose checksums are right.

    Raises:
        BadInput: It is broken, lacks one of them, or one is anything but numbers of the usual types.
    """
    with _broken(path, "no .npz"), _opened(path) as (archive, entries):
        missing = [name for name in names if name not in entries]
        if missing:
            raise BadInput(f"has no array {missing[0]}; {' and '.join(names)} are needed.")
        return [_record(archive, entries[name]) for name in names]


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]]:
    with open_regular(path) as file:
        size = file.seek(0, io.SEEK_END)
        with zipfile.ZipFile(file) as archive:
            entries = check_records(archive, size, times=MOST_PACKED, slack=SLACK)
            yield archive, {name.removesuffix(".npy"): entry for name, entry in entries.items()}


def _record(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Array:
    with open_record(archive, entry) as record:
        declared, length = _declared(record, entry.file_size)
        return declared.array(fill(record, entry.file_size - length))


def _declared(file: Any, size: int) -> tuple[Declared, int]:
    """Read the header of an array that takes ``size`` bytes with it; return it with its length.

    Raises:
        BadInput: It declares what is not read, or another number of bytes, without the name of the file.
    """
    version = npy.read_magic(file)
    if version not in HEADERS:
        raise BadInput(f"is refused: it is of version {version[0]}.{version[1]} of numpy's format, not 1.0 or 2.0.")
    digits, read_header = HEADERS[version]
    length = file.read(digits)
    header = file.read(min(int.from_bytes(length, "little"), MOST_HEADER + 1))
    shape, by_column, dtype = read_header(io.BytesIO(length + header), max_header_size=MOST_HEADER)
    if dtype.str[1:] not in CODES:
        raise BadInput(f"holds {shown(dtype.str)}, not numbers of the types {', '.join(CODES)}.")
    before = npy.MAGIC_LEN + digits + len(header)
    needed = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or before + needed != size:
        raise BadInput(f"is cut short or damaged: its header declares {needed} bytes, and {size - before} are there.")
    return Declared(shape, by_column, dtype), before
