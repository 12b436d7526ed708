"""What is damaged: small files of every format, how they are read, and what a plain decoder says that they hold."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

Pieces = dict[str, bytes]


@dataclass(frozen=True)
class Format:
    """One reader, and a file for it.

    Args:
        name: What reports call it.
        target: The file of the folder that is damaged.
        files: The files of the folder, this one too.
        read: Reads the folder as users do.
        decode: What our decoder says that the damaged file holds.
        plain: What somebody else's says; it is asked only about files that ours has taken.
        sealed: Whether damage anywhere must be seen: what is taken is then what was written.
        apart: Takes the file apart into what its checksums guard.
        together: Puts it together again, with checksums that are right.
        part: What is damaged before it is put together is called so.
        share: How many of the files are of this format, next to the others.
        meant: What is wrong with what ``read`` made of that which the other decoder found; nothing, if nothing is.
    """

    name: str
    target: str
    files: Callable[[], Pieces]
    read: Callable[[Path], Any]
    decode: Callable[[Path], Any]
    plain: Callable[[Path], Any]
    sealed: bool = False
    apart: Callable[[bytes], Pieces] | None = None
    together: Callable[[Pieces], bytes] | None = None
    share: float = 1.0
    part: re.Pattern[str] = re.compile("")
    meant: Callable[[Any, Any], str] = lambda found, theirs: ""
    cache: dict[str, Any] = field(default_factory=dict)

    def content(self) -> Pieces:
        """Return the files, which are made once."""
        if "files" not in self.cache:
            self.cache["files"] = self.files()
        found: Pieces = self.cache["files"]
        return found


def unzipped(content: bytes) -> Pieces:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(pieces: Pieces) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in pieces.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def token(value: Any) -> str:
    """Return what two values have in common if, and only if, they are equal to the last bit."""
    seen = hashlib.sha256()
    _add(value, seen.update)
    return seen.hexdigest()


def _add(value: Any, add: Callable[[bytes], None]) -> None:
    if isinstance(value, torch.Tensor):
        value = value.detach().contiguous()
        add(f"tensor {value.dtype} {tuple(value.shape)}".encode())
        add(value.reshape(-1).view(torch.uint8).numpy().tobytes() if value.numel() else b"")
    elif isinstance(value, np.ndarray):
        add(f"array {value.dtype.newbyteorder('<').str} {value.shape}".encode())
        add(np.ascontiguousarray(value, value.dtype.newbyteorder("<")).tobytes())
    elif isinstance(value, Mapping):
        add(f"dict {len(value)}".encode())
        for key, inner in value.items():
            _add(key, add)
            _add(inner, add)
    elif isinstance(value, list | tuple | set):
        add(f"list {len(value)}".encode())
        for inner in value:
            _add(inner, add)
    elif is_dataclass(value) and not isinstance(value, type):
        add(type(value).__name__.encode())
        for one in fields(value):
            if one.name not in ("path", "files", "found"):
                _add(getattr(value, one.name), add)
    elif isinstance(value, np.generic):
        _add(value.item(), add)
    else:
        add(f"{type(value).__name__} {value!r}".encode("utf-8", "backslashreplace"))
