"""Unpickles the arrays of the CIFAR files and nothing else: every name that a pickle asks for is looked up here."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from stillproof.core.errors import BadInput


def read_pickled_dict(path: Path) -> dict[str, Any]:
    """Read a pickled dictionary of byte arrays, lists and strings.

    Raises:
        BadInput: The file is broken, or asks for anything besides a numpy array of unsigned bytes.
    """
    try:
        with path.open("rb") as file:
            content = _ArraysOnly(file, encoding="bytes").load()
    except BadInput as error:
        raise BadInput(f"{path} {error}") from None
    except Exception as error:  # a broken pickle can raise anything
        raise BadInput(f"{path} cannot be unpickled: {type(error).__name__}: {error}.") from error
    if not isinstance(content, dict):
        raise BadInput(f"{path} holds a {type(content).__name__} instead of a dictionary.")
    return {_text(key): value.values if isinstance(value, _PickledArray) else value for key, value in content.items()}


def _text(key: object) -> str:
    return key.decode("latin1") if isinstance(key, bytes) else str(key)  # Python 2 wrote bytes


class _ArraysOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        allowed = _ALLOWED.get(f"{module.replace('numpy._core', 'numpy.core')}.{name}")
        if allowed is None:
            raise BadInput(f"is refused: it asks for {module}.{name}, and only numpy arrays of bytes are read.")
        return allowed


class _PickledArray:
    """Takes the state that a pickle sets on an array, without numpy's own unpickling."""

    def __init__(self, *_: object) -> None:
        self.values = np.empty(0, np.uint8)

    def __setstate__(self, state: tuple[int, tuple[int, ...], object, bool, bytes]) -> None:
        _, shape, dtype, by_column, content = state
        if not isinstance(dtype, _PickledDtype):
            raise BadInput("is refused: it holds an array without a type.")
        self.values = np.frombuffer(content, np.uint8).reshape(shape, order="F" if by_column else "C")


class _PickledDtype:
    def __init__(self, code: str | bytes, *_: object) -> None:
        if code not in ("u1", b"u1"):
            raise BadInput(f"is refused: it holds an array of type {code!r}, and only unsigned bytes are read.")

    def __setstate__(self, state: object) -> None:
        """Ignore byte order and alignment, which bytes do not have."""


def _latin1(text: str, encoding: str | bytes) -> bytes:
    if encoding not in ("latin1", b"latin1"):
        raise BadInput(f"is refused: it asks for the text encoding {encoding!r}.")
    return text.encode("latin1")


# Stand-ins, not the originals: numpy.ndarray called with a buffer would turn bytes into object pointers.
_ALLOWED: dict[str, Callable[..., object] | str] = {
    "numpy.core.multiarray._reconstruct": _PickledArray,
    "numpy.ndarray": "ndarray",
    "numpy.dtype": _PickledDtype,
    "_codecs.encode": _latin1,
}
