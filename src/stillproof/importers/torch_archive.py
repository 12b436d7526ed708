"""The zip files that ``torch.save`` writes: a pickle, and a record of numbers for each of its storages."""

from __future__ import annotations

import re
import zipfile
from typing import Any, BinaryIO

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.safe_pickle import WholeBytes, build_stand_ins
from stillproof.core.stand_ins import StandIn, shown
from stillproof.data.zip_records import check_records, read_record
from stillproof.importers.tensor_stand_ins import READS, TORCH_NAMES, Storage, described

MAGIC = b"PK\x03\x04"
PICKLE = re.compile(r"([^/]+)/data\.pkl")


def read_archive(file: BinaryIO, size: int) -> Any:
    """Return the stand-ins that an archive's pickle builds; the file must stay open until they are unwrapped.

    Raises:
        BadInput: A record is damaged, or asks for what is not read, without the name of the file; a broken file can
            raise anything else.
    """
    archive = zipfile.ZipFile(file)
    entries = check_records(archive, size, times=1)  # torch.save never compresses
    folders = [named[1] for name in entries if (named := PICKLE.fullmatch(name))]
    if len(folders) != 1:
        raise BadInput("is no file of torch.save: it is a zip file with no record data.pkl.")
    folder = folders[0]
    order = read_record(archive, entries[f"{folder}/byteorder"]) if f"{folder}/byteorder" in entries else b"little"
    if bytes(order) not in (b"little", b"big"):
        raise BadInput(f"is refused: the order of its bytes is {shown(bytes(order))}.")
    found: dict[str, Record] = {}

    def numbers(pid: Any) -> StandIn:
        dtype, key, count = described(pid)
        entry = entries.get(f"{folder}/data/{key}")
        if entry is None or entry.file_size != count * dtype.itemsize:
            raise BadInput(f"is refused: its record {shown(key)} does not hold the {count} numbers that it should.")
        record = found.setdefault(key, Record(archive, entry, dtype, bytes(order) == b"big"))
        if record.dtype != dtype:
            raise BadInput("is refused: it describes one store of numbers in two ways.")
        return record

    content = bytes(read_record(archive, entries[f"{folder}/data.pkl"]))
    return build_stand_ins(WholeBytes(content), size, TORCH_NAMES, reads=READS, encoding="utf-8", persistent=numbers)


class Record(Storage):
    """Numbers in an archive, which are read when they are first wanted."""

    def __init__(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, dtype: torch.dtype, swapped: bool) -> None:
        self._archive, self._entry, self.dtype, self._swapped = archive, entry, dtype, swapped
        self._read: Tensor | None = None

    def flat(self) -> Tensor:
        """Return them, from a record whose checksum is right."""
        if self._read is None:
            content = read_record(self._archive, self._entry)
            if self._swapped:
                content = content.view(f"u{self.dtype.itemsize}").byteswap().view("u1")
            self._read = torch.from_numpy(content).view(self.dtype)
        return self._read
