"""Values of tensors and plain values as bytes under a hash, as artifacts are: a changed bit does not go unseen."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillproof.core.errors import Corrupt, StillproofError
from stillproof.core.tensor_bytes import from_bytes, to_bytes

if TYPE_CHECKING:
    from torch import Tensor

MAGIC = b"stillproof sealed 1\n"
HASH = 32  # bytes of sha256
NOT_SEALED = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError)
LENGTH = 8  # bytes of the number that says how long the JSON is
# Objects of JSON are only ever one of these marks, so that no dictionary of the value can be taken for one.
DICT, TUPLE, FLOAT, TENSOR = "dict", "tuple", "float", "tensor"


def content_of(value: object) -> tuple[bytes, bytes]:
    """Return a value as bytes, plain values before tensors; equal bytes are equal values, to the last bit."""
    plain, tensors = take_apart(value)
    text = json.dumps(plain, separators=(",", ":"), allow_nan=False).encode()
    return len(text).to_bytes(LENGTH, "little") + text, to_bytes(tensors)


def seal_value(value: object) -> tuple[bytes, ...]:
    """Return the bytes of a value in parts, which are not joined to spare a copy; the first is a hash of the others."""
    plain, tensors = content_of(value)
    sealed = hashlib.sha256(plain)
    sealed.update(tensors)
    return MAGIC + sealed.digest(), plain, tensors


def unseal_value(data: bytes, path: Path) -> Any:
    """Return the value that the bytes of the file ``path`` hold, its tensors on the CPU.

    Raises:
        Corrupt: The bytes are not those that were sealed.
    """
    start = len(MAGIC) + HASH
    content = memoryview(data)[start:]
    if data[:start] != MAGIC + hashlib.sha256(content).digest():
        raise Corrupt(f"{path} is corrupt: its content does not match its hash.")
    end = LENGTH + int.from_bytes(content[:LENGTH], "little")
    try:
        return put_together(json.loads(bytes(content[LENGTH:end])), from_bytes(bytes(content[end:]), path))
    except NOT_SEALED as error:  # sealed, but not by ``seal_value``
        raise Corrupt(f"{path} is corrupt: it does not hold a value of tensors and plain values.") from error


def take_apart(value: object) -> tuple[Any, dict[str, Tensor]]:
    """Return a nested value as JSON, in which tensors stand by name, and the tensors.

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
        return {TENSOR: [name, is_by_channels(value)]}
    raise StillproofError(f"a checkpoint keeps tensors and plain values, and no {type(value).__name__}: convert it.")


def is_by_channels(tensor: Tensor) -> bool:
    """Say whether a tensor of images or of a convolution has its channels last in memory."""
    import torch

    return tensor.ndim == 4 and not tensor.is_contiguous() and tensor.is_contiguous(memory_format=torch.channels_last)


def _laid_out(tensor: Tensor, *, by_channels: bool) -> Tensor:
    import torch

    return tensor.contiguous(memory_format=torch.channels_last) if by_channels else tensor
