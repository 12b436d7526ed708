"""Reads records of zip files that others wrote: what they claim is checked first, and their checksums with them."""

from __future__ import annotations

import zipfile

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.file_limits import memory_limit, too_much
from stillproof.core.stand_ins import shown

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 1  # a flag of a record
CHUNK = 2**20
SLACK = 2**24  # bytes that do no harm, however well they were packed


def check_records(archive: zipfile.ZipFile, size: int, *, times: int, slack: int = 0) -> dict[str, zipfile.ZipInfo]:
    """Return the records of an archive of ``size`` bytes by their names.

    Args:
        archive: The archive.
        size: Bytes of its file.
        times: How often its own size it may claim to unpack to.
        slack: Bytes that it may claim besides.

    Raises:
        BadInput: It claims more, or two records have one name; without the name of the file.
    """
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > times * size + slack:
        raise BadInput(f"is refused: its {size} bytes claim to unpack to {unpacked}.")
    if unpacked > memory_limit(size):
        raise BadInput(too_much(size))
    named = {entry.filename: entry for entry in entries}
    if len(named) < len(entries):
        raise BadInput("is refused: two of its records have one name.")
    return named


def open_record(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> zipfile.ZipExtFile:
    """Open a record for reading.

    Raises:
        BadInput: It is packed in a way that nobody packs arrays in, without the name of the file.
    """
    if entry.compress_type not in METHODS or entry.flag_bits & ENCRYPTED:
        how = "with a password" if entry.flag_bits & ENCRYPTED else f"by method {entry.compress_type}"
        raise BadInput(f"is refused: its record {shown(entry.filename)} is packed {how}: pack it by deflate or not.")
    opened = archive.open(entry)
    assert isinstance(opened, zipfile.ZipExtFile)
    return opened


def read_record(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[np.uint8]:
    """Return the bytes of a record.

    Raises:
        BadInput: They are not those that were packed, without the name of the file.
    """
    with open_record(archive, entry) as record:
        return fill(record, entry.file_size)


def fill(record: zipfile.ZipExtFile, count: int) -> NDArray[np.uint8]:
    """Return the last ``count`` bytes of an open record, whose checksum is looked at when it ends.

    Raises:
        BadInput: As in ``read_record``.
    """
    content = np.empty(count, np.uint8)  # takes memory where it is filled, and not before
    done = 0
    try:
        while piece := record.read(CHUNK):
            content[done : done + len(piece)] = np.frombuffer(piece, np.uint8)
            done += len(piece)
    except (zipfile.BadZipFile, ValueError) as error:  # more than was claimed does not fit
        raise BadInput(
            f"is damaged: its record {shown(record.name)} does not fit its checksum; get it again."
        ) from error
    if done != count:
        raise BadInput(f"is cut short or damaged: its record {shown(record.name)} ends too early; get it again.")
    return content
