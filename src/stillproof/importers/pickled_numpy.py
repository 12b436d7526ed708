"""Stand-ins for the few numpy names that result files pickle: they hold numbers, and can build nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from stillproof.core.errors import BadInput

CODES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
MOST_SHOWN = 80  # letters


def shown(name: str) -> str:
    """Return a stranger's name for something as it can be shown: short, on one line, in plain letters."""
    plain = ascii(name)[1:-1]
    return plain if len(plain) <= MOST_SHOWN else f"{plain[:MOST_SHOWN]}..."


class Pickled:
    """What a pickle builds in place of something of numpy's."""

    def value(self) -> Any:
        """Return the plain value."""
        raise BadInput(f"is refused: it holds a bare {type(self).__name__} of numpy's.")


class PickledDtype(Pickled):
    """The type of a number."""

    def __init__(self, code: object = "", *_: object) -> None:
        """Take the code that numpy pickles, such as ``f8``."""
        self.code = code.decode("latin1") if isinstance(code, bytes) else code
        self.order = "<"
        if self.code not in CODES:
            raise BadInput(f"is refused: it holds numbers of numpy's type {code!r}.")

    def __setstate__(self, state: tuple[object, ...]) -> None:
        """Take the byte order."""
        self.order = ">" if state[1] == ">" else "<"

    def dtype(self) -> np.dtype[Any]:
        """Return numpy's own."""
        return np.dtype(f"{self.order}{self.code}")


class PickledScalar(Pickled):
    """One number."""

    def __init__(self, kind: PickledDtype, content: bytes) -> None:
        """Take its type and its bytes."""
        self.kind, self.content = kind, content

    def value(self) -> int | float | bool:
        """Return the number."""
        number: int | float | bool = np.frombuffer(self.content, self.kind.dtype())[0].item()
        return number


class PickledArray(Pickled):
    """An array, which gets its content after it was made."""

    def __init__(self, *_: object) -> None:
        """Begin empty, whatever size is asked for."""
        self.array: np.ndarray[Any, Any] = np.empty(0, np.float32)

    def __setstate__(self, state: tuple[int, tuple[int, ...], PickledDtype, bool, bytes]) -> None:
        """Take shape, type, order and bytes."""
        _, shape, kind, by_column, content = state
        dtype = kind.dtype()
        if math.prod(shape) * dtype.itemsize != len(content):
            raise BadInput(f"is refused: it declares an array {shape} that it does not hold.")
        self.array = np.frombuffer(content, dtype).reshape(shape, order="F" if by_column else "C").copy()

    def value(self) -> np.ndarray[Any, Any]:
        """Return the array."""
        return self.array


class PickledArrayType(Pickled):
    """The class of arrays, which pickles only name."""


def latin1(text: str, encoding: object) -> bytes:
    """Return the bytes that an old pickle protocol wrote as text."""
    if encoding not in ("latin1", b"latin1"):
        raise BadInput(f"is refused: it asks for the text encoding {encoding!r}.")
    return text.encode("latin1")


# Not the originals: numpy.ndarray called with a buffer would take bytes for object pointers.
STAND_INS: tuple[tuple[Callable[..., Any], str], ...] = (
    (PickledScalar, "numpy.core.multiarray.scalar"),
    (PickledScalar, "numpy._core.multiarray.scalar"),
    (PickledArray, "numpy.core.multiarray._reconstruct"),
    (PickledArray, "numpy._core.multiarray._reconstruct"),
    (PickledDtype, "numpy.dtype"),
    (PickledArrayType, "numpy.ndarray"),
    (latin1, "_codecs.encode"),
)
