"""Stand-ins for what files of ``torch.save`` name: tensors as views of stored numbers, and plain values."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import OrderedDict
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.safe_pickle import Allowed
from stillproof.core.stand_ins import SLACK, StandIn, shown
from stillproof.data.pickled_numpy import ARRAYS, NUMBERS

READS = "tensors and plain values"
MOST_AXES = 64  # of a tensor, in torch
# Types of numbers that are read, by torch's names for them and for stores of them.
TYPES = {
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "bool": "Bool",
}
OTHER_STORES = {
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
    "quint8": "QUInt8",
    "qint8": "QInt8",
    "qint32": "QInt32",
    "quint4x2": "QUInt4x2",
    "quint2x4": "QUInt2x4",
}
EIGHT_BITS = ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")
OTHERS = (
    "complex32",
    "uint16",
    "uint32",
    "uint64",
    *OTHER_STORES,
    *(f"float8_{bits}" for bits in EIGHT_BITS),
    "float4_e2m1fn_x2",
)


class TypeOfNumbers(StandIn):
    """A type of numbers, which pickles only name."""

    def __init__(self, name: str) -> None:
        """Take torch's name for it."""
        self.name = name

    def value(self) -> str:
        """Return its name."""
        return self.name

    def dtype(self) -> torch.dtype:
        """Return torch's own, if numbers of it are read."""
        if self.name not in TYPES:
            raise BadInput(
                f"is refused: it holds numbers of torch's type {self.name}, and only {', '.join(TYPES)} are read."
            )
        found: torch.dtype = getattr(torch, self.name)
        return found


class Storage(StandIn):
    """Numbers that a file keeps; ``flat`` reads them."""

    @abstractmethod
    def flat(self) -> Tensor:
        """Return all of them, on the CPU; the same tensor every time."""

    def value(self) -> Tensor:
        """Return them as a tensor of one axis."""
        return self.flat()


class PickledTensor(StandIn):
    """A view of a storage; hooks are left out."""

    def __init__(
        self, storage: object, offset: Any, size: Any, stride: Any, grown: Any, hooks: object, marks: Any = None
    ) -> None:
        """Take the storage, and where in it the numbers are."""
        if not isinstance(storage, Storage):
            raise BadInput("is refused: it holds a tensor without numbers.")
        for numbers in ((offset,), size, stride):
            whole = isinstance(numbers, tuple) and all(type(one) is int and 0 <= one < 2**63 for one in numbers)
            if not whole or len(numbers) > MOST_AXES:
                raise BadInput(f"is refused: it declares a tensor of {shown(numbers)}, not of whole numbers.")
        if type(grown) is not bool or not isinstance(hooks, dict | None):
            raise BadInput("is refused: it holds a tensor as torch does not write it.")
        if marks:  # that its numbers are to be negated, for one
            raise BadInput(f"is refused: it marks a tensor with {shown(marks)}: save a plain copy of the tensor.")
        self.storage, self.offset, self.size, self.stride, self.grown = storage, offset, size, stride, grown

    @property
    def claimed(self) -> int:
        """Return what making the storage takes."""
        return self.storage.claimed

    @property
    def spread(self) -> int:
        """Return the bytes of a copy, none of whose numbers has more than eight."""
        elements: int = math.prod(self.size)
        return 8 * elements

    def value(self) -> Tensor:
        """Return the tensor."""
        flat = self.storage.flat()
        needed = self.offset + 1 + sum((n - 1) * step for n, step in zip(self.size, self.stride, strict=True))
        if min(self.size, default=1) > 0 and needed > len(flat):
            raise BadInput(f"is refused: it declares a tensor {self.size} that it does not hold.")
        if self.grown and not flat.is_floating_point():
            raise BadInput(f"is refused: it says that numbers of type {flat.dtype} were learned.")
        return flat.as_strided(self.size, self.stride, self.offset)


class TensorType(StandIn):
    """The class of tensors or of parameters, which pickles only name."""


def early_tensor(storage: object, offset: Any, size: Any, stride: Any) -> PickledTensor:
    """Return a tensor as the first versions of torch wrote it."""
    return PickledTensor(storage, offset, size, stride, False, None)


def parameter(data: object, _: object, hooks: object) -> PickledTensor:
    """Return the tensor that a parameter is."""
    if not isinstance(data, PickledTensor):
        raise BadInput("is refused: it holds a parameter without a tensor.")
    return data


def parameter_with_state(data: object, grown: object, hooks: object, _: object) -> PickledTensor:
    """Return the tensor that a parameter with attributes is, without these."""
    return parameter(data, grown, hooks)


def ordered_dict(*items: object) -> OrderedDict[Any, Any]:
    """Return a dictionary, which is filled one entry after the other."""
    if items:
        raise BadInput("is refused: it holds a dictionary that was filled in a way of its own.")
    return OrderedDict()


def held(value: Any, size: int) -> Any:
    """Refuse a tensor that is larger than its file of ``size`` bytes: a few bytes can declare any shape."""
    if isinstance(value, Tensor) and value.numel() * value.element_size() > size + SLACK:
        raise BadInput(f"is refused: it declares a tensor {tuple(value.shape)} that its {size} bytes do not hold.")
    return value


def _with_attributes(function: object, _: object, arguments: object, __: object) -> PickledTensor:
    """Return a tensor that somebody hung attributes on, without these."""
    if function not in (PickledTensor, early_tensor, parameter) or not isinstance(arguments, tuple):
        raise BadInput("is refused: it holds a tensor of a class of its own.")
    made: PickledTensor = function(*arguments)
    return made


def _of_any_type(_: object, __: object, ___: object, ____: object, _____: object, ______: object, kind: Any) -> None:
    """Refuse a tensor that torch has no store of its own for."""
    if not isinstance(kind, TypeOfNumbers):
        raise BadInput(f"is refused: it holds numbers of {shown(kind)}.")
    kind.dtype()
    raise BadInput(f"is refused: it keeps numbers of torch's type {kind.name} in an unusual way: save it again.")


def _size(axes: object = ()) -> tuple[Any, ...]:
    """Return a shape."""
    if not isinstance(axes, tuple):
        raise BadInput(f"is refused: it holds a shape that is {shown(axes)}.")
    return axes


def _device(*parts: Any) -> str:
    """Return the name of a device."""
    texts = [str(part) if isinstance(part, int) else part for part in parts]
    if not 1 <= len(texts) <= 2 or not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise BadInput("is refused: it names a device in a way of its own.")
    return ":".join(texts)


def _several(items: object = ()) -> list[Any]:
    """Return a set as a list; a set of tuples of tuples of tuples could take for ever to fill."""
    if not isinstance(items, list | tuple):
        raise BadInput(f"is refused: it holds a set of {shown(items)}.")
    return list(items)


def _counts(items: object = None) -> dict[Any, Any]:
    """Return a dictionary of counts."""
    if not isinstance(items, dict):
        raise BadInput(f"is refused: it counts {shown(items)}.")
    return items


_REBUILT: Allowed = {
    "torch._utils._rebuild_tensor": early_tensor,
    "torch._utils._rebuild_tensor_v2": PickledTensor,
    "torch._utils._rebuild_tensor_v3": _of_any_type,
    "torch._utils._rebuild_parameter": parameter,
    "torch._utils._rebuild_parameter_with_state": parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": _with_attributes,
    "torch.Tensor": TensorType(),
    "torch.nn.parameter.Parameter": TensorType(),
}
_PLAIN: Allowed = {
    "torch.Size": _size,
    "torch.device": _device,
    "collections.OrderedDict": ordered_dict,
    "collections.Counter": _counts,
    "builtins.set": _several,
    "__builtin__.set": _several,
}
_TYPES: Allowed = {
    **{f"torch.{name}": TypeOfNumbers(name) for name in (*TYPES, *OTHERS)},
    **{f"torch.{store}Storage": TypeOfNumbers(name) for name, store in (TYPES | OTHER_STORES).items()},
    "torch.storage.UntypedStorage": TypeOfNumbers("uint8"),
}
TORCH_NAMES: Allowed = {**ARRAYS, **NUMBERS, **_REBUILT, **_PLAIN, **_TYPES}


def described(pid: Any) -> tuple[torch.dtype, str, int]:
    """Return type, key and number of the numbers that a pickle of torch keeps elsewhere in its file.

    Raises:
        BadInput: They are of a type that is not read, or something else is kept there.
    """
    match pid:
        case ("storage", TypeOfNumbers() as kind, str() as key, _, int() as count, *_) if 0 <= count < 2**63:
            return kind.dtype(), key, count
    raise BadInput("is refused: it keeps something that is no store of numbers beside its pickle.")
