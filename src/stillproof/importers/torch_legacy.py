"""Files of ``torch.save`` before version 1.6, and storages inside pickles: several pickles, then all numbers."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.safe_pickle import WholeBytes, build_stand_ins
from stillproof.core.stand_ins import StandIn
from stillproof.importers.tensor_stand_ins import READS, TORCH_NAMES, Storage, described

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001


class Numbers(Storage):
    """Numbers behind the pickles of a file, which are known once these were read."""

    def __init__(self, dtype: torch.dtype, count: int) -> None:
        self.dtype, self.count = dtype, count
        self.filled: Tensor | None = None

    def flat(self) -> Tensor:
        """Return them."""
        if self.filled is None:
            raise BadInput("is refused: it holds a tensor without numbers.")
        return self.filled


def read_legacy(content: bytes) -> Any:
    """Return the stand-ins that such a file builds, with all numbers that it holds.

    Raises:
        BadInput: It asks for what is not read, without the name of the file; a broken file can raise anything else.
    """
    stream, size = WholeBytes(content), len(content)
    found: dict[str, Numbers] = {}

    def numbers(pid: Any) -> StandIn:
        dtype, key, count = described(pid)
        if len(pid) > 5 and pid[5] is not None:
            raise BadInput("is refused: it has views of stores of numbers, which versions of torch before 0.4 wrote.")
        one = found.setdefault(key, Numbers(dtype, count))
        if (one.dtype, one.count) != (dtype, count):
            raise BadInput("is refused: it describes one store of numbers in two ways.")
        return one

    def pickle_of_plain() -> Any:
        return build_stand_ins(stream, size, {}, reads=READS, encoding="utf-8")

    if (pickle_of_plain(), pickle_of_plain()) != (MAGIC, PROTOCOL):
        raise BadInput("is no file of torch.save: get it again.")
    pickle_of_plain()  # how large numbers were on the machine that wrote it
    built = build_stand_ins(stream, size, TORCH_NAMES, reads=READS, encoding="utf-8", persistent=numbers)
    keys = pickle_of_plain()
    if sorted(keys) != sorted(found):
        raise BadInput("is damaged: it does not hold the stores of numbers that it should; get it again.")
    for key in keys:
        _fill(found[key], stream)
    if stream.tell() < size:
        raise BadInput("is damaged: it goes on behind its end; get it again.")
    return built


def _fill(store: Numbers, stream: WholeBytes) -> None:
    (count,) = struct.unpack("<q", stream.read(8))
    if count != store.count:
        raise BadInput("is damaged: it does not hold the stores of numbers that it should; get it again.")
    content = np.frombuffer(stream.read(count * store.dtype.itemsize), np.uint8).copy()
    store.filled = torch.from_numpy(content).view(store.dtype)
