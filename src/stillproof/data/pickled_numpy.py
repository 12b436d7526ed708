"""Stand-ins for the few numpy names that files pickle: they hold numbers, and can build nothing else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stillproof.core.errors import BadInput
from stillproof.core.stand_ins import PickledBytes, StandIn, held_bytes, raw, shown

CODES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
MOST_AXES = 32
PLAIN = (3, None, None, None, -1, -1, 0)  # what numpy pickles of a type of numbers, besides the order of bytes
ORDERS = {"<": "<", ">": ">", "|": "<", "=": "<"}
VERSION = 1  # of what numpy pickles of an array


class PickledDtype(StandIn):
    """The type of a number."""

    def __init__(self, code: object = "", *_: object, codes: tuple[str, ...] = CODES) -> None:
        """Take the code that numpy pickles, such as ``f8``; ``codes`` are those that are read."""
        code = code.text if isinstance(code, PickledBytes) else code
        self.code = code.decode("latin1") if isinstance(code, bytes) else code
        self.order = "<"
        if self.code not in codes:
            raise BadInput(f"is refused: it holds numbers of numpy's type {shown(code)}, and only {codes} are read.")

    def __setstate__(self, state: object) -> None:
        """Take the order of its bytes; the rest is of types that are not read."""
        if not isinstance(state, tuple) or len(state) != 1 + len(PLAIN) or (state[0], *state[2:]) != PLAIN:
            raise BadInput("is refused: it describes a type of numbers as numpy does not.")
        order = state[1].text if isinstance(state[1], PickledBytes) else state[1]
        order = order.decode("latin1") if isinstance(order, bytes) else order
        if not isinstance(order, str) or order not in ORDERS:
            raise BadInput(f"is refused: the order of the bytes of its numbers is {shown(order)}.")
        self.order = ORDERS[order]

    def dtype(self) -> np.dtype[Any]:
        """Return numpy's own."""
        return np.dtype(f"{self.order}{self.code}")


class PickledScalar(StandIn):
    """One number."""

    def __init__(self, kind: object, content: Any) -> None:
        """Take its type and its bytes."""
        self.kind = _dtype(kind)
        if held_bytes(content) != self.kind.itemsize:
            raise BadInput(f"is refused: it declares a {self.kind} that it does not hold.")
        self.content: bytes | PickledBytes = content

    def value(self) -> int | float | bool:
        """Return the number."""
        number: int | float | bool = np.frombuffer(raw(self.content), self.kind)[0].item()
        return number


class PickledArray(StandIn):
    """An array, which gets its content after it was made."""

    def __init__(self, *_: object) -> None:
        """Begin empty, whatever size is asked for."""
        self.shape: tuple[int, ...] = (0,)
        self.kind: np.dtype[Any] = np.dtype(np.float32)
        self.by_column = False
        self.content: bytes | PickledBytes = b""

    def __setstate__(self, state: object) -> None:
        """Take version, shape, type, order and bytes."""
        if not isinstance(state, tuple) or len(state) != 5:
            raise BadInput("is refused: it holds an array that numpy did not write.")
        version, shape, kind, self.by_column, content = state
        if version != VERSION or self.by_column not in (False, True):
            raise BadInput("is refused: it holds an array that numpy did not write.")
        self.kind, self.shape = _dtype(kind), _shape(shape)
        if math.prod(self.shape) * self.kind.itemsize != held_bytes(content):
            raise BadInput(f"is refused: it declares an array {self.shape} that it does not hold.")
        self.content = content

    @property
    def claimed(self) -> int:
        """Return the bytes of the array."""
        return held_bytes(self.content)

    def value(self) -> np.ndarray[Any, Any]:
        """Return the array."""
        flat = np.frombuffer(raw(self.content), self.kind)
        return flat.reshape(self.shape, order="F" if self.by_column else "C").copy()


class PickledArrayType(StandIn):
    """The class of arrays, which pickles only name."""


def _dtype(kind: object) -> np.dtype[Any]:
    if not isinstance(kind, PickledDtype):
        raise BadInput(f"is refused: it holds {shown(kind)} where a type of numpy's is expected.")
    return kind.dtype()


def _shape(shape: object) -> tuple[int, ...]:
    sizes = shape if isinstance(shape, tuple) else (-1,)
    if len(sizes) > MOST_AXES or not all(type(size) is int and 0 <= size < 2**63 for size in sizes):
        raise BadInput("is refused: it declares an array whose shape is not one of whole numbers.")
    return sizes


# Not the originals: numpy.ndarray called with a buffer would take bytes for object pointers.
ARRAYS = {
    "numpy.core.multiarray._reconstruct": PickledArray,
    "numpy._core.multiarray._reconstruct": PickledArray,
    "numpy.ndarray": PickledArrayType,
    "_codecs.encode": PickledBytes,
}
NUMBERS = {
    "numpy.core.multiarray.scalar": PickledScalar,
    "numpy._core.multiarray.scalar": PickledScalar,
    "numpy.dtype": PickledDtype,
}
