"""Tensors as bytes and back, by safetensors: equal tensors give equal bytes, and no bytes can run code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.errors import Corrupt
from stillproof.core.plain_reason import plain_reason

if TYPE_CHECKING:
    from torch import Tensor


def to_bytes(tensors: Mapping[str, Tensor]) -> bytes:
    """Write tensors, in order of their names."""
    from safetensors.torch import save

    clean: dict[str, Tensor] = {}
    places: set[int] = set()
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().contiguous()
        if tensor.untyped_storage().data_ptr() in places:  # safetensors refuses tensors that share memory
            tensor = tensor.clone()
        places.add(tensor.untyped_storage().data_ptr())
        clean[name] = tensor
    return bytes(save(clean))


def from_bytes(data: bytes, path: Path) -> dict[str, Tensor]:
    """Read tensors from the content of the file ``path``, to the CPU.

    Raises:
        Corrupt: That is not what the bytes hold.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return dict(load(data))
    except (SafetensorError, ValueError, KeyError) as error:
        raise Corrupt(
            f"{path} is corrupt: it does not hold tensors ({plain_reason(error)}); get or make it again."
        ) from error
