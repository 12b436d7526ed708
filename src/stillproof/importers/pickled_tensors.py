"""Reads a stranger's pickle of tensors, numbers and lists; the bytes inside a tensor are read as ``.pt`` files are."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.safe_pickle import Allowed, read_pickle
from stillproof.core.stand_ins import PickledBytes, StandIn, held_bytes, raw, shown
from stillproof.data.pickled_numpy import ARRAYS, NUMBERS
from stillproof.importers.torch_file import held, load_bytes


def load_pickled_tensors(path: Path) -> Any:
    """Return what a pickle of tensors, numbers and lists holds, on the CPU; tuples become lists.

    Raises:
        BadInput: The file is broken, or asks for anything else.
    """
    return read_pickle(path, ALLOWED, reads="tensors and plain values", check=held)


class PickledStorage(StandIn):
    """The numbers of a tensor, as the bytes of ``torch.save``."""

    def __init__(self, content: Any) -> None:
        """Take the bytes."""
        self.size = held_bytes(content)
        self.content: bytes | PickledBytes = content

    @property
    def claimed(self) -> int:
        """Return the number of bytes."""
        return self.size

    def value(self) -> Any:
        """Return the storage, moved to the CPU."""
        loaded = load_bytes(raw(self.content), "(a tensor of it)")
        if not isinstance(loaded, torch.storage.TypedStorage):
            raise BadInput("is refused: it holds a tensor without numbers.")
        return loaded


class PickledTensor(StandIn):
    """A view of a storage; hooks and metadata are left out."""

    def __init__(self, storage: object, offset: Any, size: Any, stride: Any, *_: object) -> None:
        """Take the storage, and where in it the numbers are."""
        if not isinstance(storage, PickledStorage):
            raise BadInput("is refused: it holds a tensor without numbers.")
        for numbers in ((offset,), size, stride):
            if not (isinstance(numbers, tuple) and all(type(number) is int and number >= 0 for number in numbers)):
                raise BadInput(f"is refused: it declares a tensor of {shown(numbers)}, not of whole numbers.")
        self.storage, self.offset, self.size, self.stride = storage, offset, size, stride

    @property
    def claimed(self) -> int:
        """Return the bytes of the storage."""
        return self.storage.claimed

    def value(self) -> Tensor:
        """Return the tensor."""
        storage = self.storage.value()
        flat = torch.tensor([], dtype=storage.dtype).set_(storage)
        needed = self.offset + 1 + sum((n - 1) * step for n, step in zip(self.size, self.stride, strict=True))
        if min(self.size, default=1) > 0 and needed > len(flat):
            raise BadInput(f"is refused: it declares a tensor {self.size} that it does not hold.")
        return flat.as_strided(self.size, self.stride, self.offset)


def _parameter(data: object, *_: object) -> PickledTensor:
    """Return the tensor that a parameter is."""
    if not isinstance(data, PickledTensor):
        raise BadInput("is refused: it holds a parameter without a tensor.")
    return data


def _ordered_dict(*items: object) -> OrderedDict[Any, Any]:
    """Return a dictionary, which is filled one entry after the other."""
    if items:
        raise BadInput("is refused: it holds a dictionary that was filled in a way of its own.")
    return OrderedDict()


ALLOWED: Allowed = {
    **ARRAYS,
    **NUMBERS,
    "torch._utils._rebuild_tensor_v2": PickledTensor,
    "torch._utils._rebuild_parameter": _parameter,
    "torch.storage._load_from_bytes": PickledStorage,
    "collections.OrderedDict": _ordered_dict,
}
