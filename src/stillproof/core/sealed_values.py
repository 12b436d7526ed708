"""Values of tensors and plain values as bytes under a hash, as artifacts are: a changed bit does not go unseen."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from stillproof.core.errors import Corrupt
from stillproof.core.plain_values import put_together, take_apart
from stillproof.core.tensor_bytes import from_bytes, to_bytes

MAGIC = b"stillproof sealed 1\n"
HASH = 32  # bytes of sha256
LENGTH = 8  # bytes of the number that says how long the JSON is


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
    return put_together(json.loads(bytes(content[LENGTH:end])), from_bytes(bytes(content[end:]), path))
