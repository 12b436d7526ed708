"""Reads a stranger's pickle of tensors: every name that it asks for is looked up here, and nothing else is built."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.importers.pickled_numpy import STAND_INS, shown
from stillproof.importers.safe_load import load_bytes, plain


def load_pickle(path: Path) -> Any:
    """Return what a pickle of tensors, numbers and lists holds, on the CPU.

    Raises:
        BadInput: The file is broken, or asks for anything else.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    try:
        return plain(_TensorsOnly(io.BytesIO(content)).load(), len(content))
    except BadInput as error:
        raise BadInput(f"{path} {error}") from None
    except Exception as error:  # a broken pickle can raise anything
        raise BadInput(f"{path} is cut short, damaged or no pickle: get it again.") from error


class _TensorsOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        allowed = _ALLOWED.get(f"{module}.{name}")
        if allowed is None:
            wanted = shown(f"{module}.{name}")
            raise BadInput(f"is refused: it asks for {wanted}, and only tensors and plain values are read.")
        return allowed


def _storage(content: bytes) -> Any:
    """Return the storage that a pickled tensor carries as the bytes of ``torch.save``, moved to the CPU."""
    return load_bytes(content, "(a tensor of it)")


def _tensor(storage: Any, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: Any) -> Tensor:
    """Return the tensor on a storage; hooks and metadata are left out."""
    if not isinstance(storage, torch.storage.TypedStorage):
        raise BadInput("is refused: it holds a tensor without numbers.")
    flat = torch.tensor([], dtype=storage.dtype).set_(storage)
    needed = offset + sum((count - 1) * step for count, step in zip(size, stride, strict=True)) + 1
    if min(size, default=1) > 0 and (needed > len(flat) or min((offset, *stride)) < 0):
        raise BadInput(f"is refused: it declares a tensor {tuple(size)} that it does not hold.")
    return flat.as_strided(size, stride, offset)


def _parameter(data: Tensor, *_: Any) -> Tensor:
    return data


_ALLOWED: dict[str, Callable[..., Any]] = {name: stand_in for stand_in, name in STAND_INS} | {
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_parameter": _parameter,
    "torch.storage._load_from_bytes": _storage,
    "collections.OrderedDict": OrderedDict,
}
