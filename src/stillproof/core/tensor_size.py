"""How many bytes tensors take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def size_in_bytes(tensors: Iterable[Tensor]) -> int:
    """Return the bytes of the numbers in ``tensors``, as they are stored."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
