"""Reads a stranger's pickle of tensors, numbers and lists; the bytes inside a tensor are read as ``.pt`` files are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.safe_pickle import Allowed, read_pickle
from stillproof.core.stand_ins import PickledBytes, held_bytes, raw
from stillproof.data.pickled_numpy import ARRAYS, NUMBERS
from stillproof.importers.tensor_stand_ins import READS, PickledTensor, Storage, held, ordered_dict, parameter
from stillproof.importers.torch_legacy import read_legacy


def load_pickled_tensors(path: Path) -> Any:
    """Return what a pickle of tensors, numbers and lists holds, on the CPU; tuples become lists.

    Raises:
        BadInput: The file is broken, or asks for anything else.
    """
    return read_pickle(path, ALLOWED, reads=READS, check=held)


class PickledStorage(Storage):
    """The numbers of a tensor, as the bytes of ``torch.save``."""

    def __init__(self, content: Any) -> None:
        """Take the bytes."""
        self.size = held_bytes(content)
        self.content: bytes | PickledBytes = content

    @property
    def claimed(self) -> int:
        """Return the number of bytes."""
        return self.size

    def flat(self) -> Tensor:
        """Return the numbers, moved to the CPU."""
        loaded = read_legacy(raw(self.content))
        if not isinstance(loaded, Storage):
            raise BadInput("is refused: it holds a tensor without numbers.")
        return loaded.flat()


ALLOWED: Allowed = {
    **ARRAYS,
    **NUMBERS,
    "torch._utils._rebuild_tensor_v2": PickledTensor,
    "torch._utils._rebuild_parameter": parameter,
    "torch.storage._load_from_bytes": PickledStorage,
    "collections.OrderedDict": ordered_dict,
}
