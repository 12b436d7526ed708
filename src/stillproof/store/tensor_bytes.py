"""Tensors as bytes and back, by safetensors: equal tensors give equal bytes, and no bytes can run code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.errors import Corrupt

if TYPE_CHECKING:
    from torch import Tensor


def to_bytes(tensors: Mapping[str, Tensor]) -> bytes:
    """Write tensors, in order of their names."""
    import torch
    from safetensors.torch import save

    # Clones, because safetensors refuses tensors that share memory.
    clean = {
        name: tensors[name].detach().cpu().clone(memory_format=torch.contiguous_format) for name in sorted(tensors)
    }
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
        raise Corrupt(f"{path} is corrupt: it does not hold tensors ({error}); get or make it again.") from error
