"""Reads pickled dictionaries of plain values and arrays of bytes, which CIFAR and tables of accuracies come as."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.safe_pickle import Allowed, read_pickle
from stillproof.data.pickled_numpy import ARRAYS, PickledDtype

ALLOWED: Allowed = ARRAYS | {"numpy.dtype": functools.partial(PickledDtype, codes=("u1",))}


def read_pickled_dict(path: Path) -> dict[str, Any]:
    """Read a pickled dictionary of byte arrays, lists and strings.

    Raises:
        BadInput: The file is broken, or asks for anything besides a numpy array of unsigned bytes.
    """
    content = read_pickle(path, ALLOWED, reads="numpy arrays of bytes", encoding="bytes")
    if not isinstance(content, dict):
        raise BadInput(f"{path} holds a {type(content).__name__} instead of a dictionary.")
    return {_text(key): value for key, value in content.items()}


def _text(key: object) -> str:
    return key.decode("latin1") if isinstance(key, bytes) else str(key)  # Python 2 wrote bytes
