"""Nested values of tensors and plain values as JSON with the tensors beside it, and back, exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from stillproof.core.errors import StillproofError

if TYPE_CHECKING:
    from torch import Tensor

# Objects of JSON are only ever one of these marks, so that no dictionary of the value can be taken for one.
DICT, TUPLE, FLOAT, TENSOR = "dict", "tuple", "float", "tensor"


def take_apart(value: object) -> tuple[Any, dict[str, Tensor]]:
    """Return a value as JSON, in which tensors stand by name, and the tensors.

    Dictionaries keep the order and the kind of their keys (numbers too), and tensors laid out by channels stay so.

    Raises:
        StillproofError: The value holds something that is neither a tensor nor a plain value.
    """
    tensors: dict[str, Tensor] = {}
    return _to_json(value, tensors), tensors


def put_together(value: Any, tensors: dict[str, Tensor]) -> Any:
    """Return what ``take_apart`` was given; tensors are on the CPU."""
    if isinstance(value, list):
        return [put_together(item, tensors) for item in value]
    if not isinstance(value, dict):
        return value
    ((mark, inner),) = value.items()
    if mark == DICT:
        return {put_together(key, tensors): put_together(item, tensors) for key, item in inner}
    if mark == TUPLE:
        return tuple(put_together(item, tensors) for item in inner)
    return float(inner) if mark == FLOAT else _laid_out(tensors[inner[0]], by_channels=inner[1])


def _to_json(value: object, tensors: dict[str, Tensor]) -> Any:
    from torch import Tensor

    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {FLOAT: str(float(value))}
    if isinstance(value, list):
        return [_to_json(item, tensors) for item in value]
    if isinstance(value, tuple):
        return {TUPLE: [_to_json(item, tensors) for item in value]}
    if isinstance(value, dict):
        return {DICT: [[_to_json(key, tensors), _to_json(item, tensors)] for key, item in value.items()]}
    if isinstance(value, Tensor):
        name = str(len(tensors))
        tensors[name] = value
        return {TENSOR: [name, _is_by_channels(value)]}
    raise StillproofError(f"a checkpoint keeps tensors and plain values, and no {type(value).__name__}: convert it.")


def _is_by_channels(tensor: Tensor) -> bool:
    import torch

    return tensor.ndim == 4 and not tensor.is_contiguous() and tensor.is_contiguous(memory_format=torch.channels_last)


def _laid_out(tensor: Tensor, *, by_channels: bool) -> Tensor:
    import torch

    return tensor.contiguous(memory_format=torch.channels_last) if by_channels else tensor
