"""The lock: what each of Stillproof's own files held when its numbers were last known to be the same.

Each line of ``lock.json`` has a file's generation, which rises when its numbers may change, and two hashes: of its
bytes, which is quick to compare, and of its code, so that an edited comment makes no other file of it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stillproof.core.code_text import code_hash
from stillproof.core.source import PACKAGE, Code, file_of

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "lock.json"


@dataclass(frozen=True, slots=True)
class Line:
    """One file of the lock; ``key`` is what names call it: its first path, which stays when it is moved.

    ``parts`` are keys and generations above 1 of files that became parts of it, and that names still tell.
    """

    generation: int
    bytes: str  # sha256, in hexadecimal
    code: str
    key: str
    parts: tuple[tuple[str, int], ...] = ()

    def generations(self) -> dict[str, int]:
        """Return the generations above 1, by what names call the files."""
        own = {self.key: self.generation} if self.generation > 1 else {}
        return own | dict(self.parts)


@functools.cache
def read_lock() -> Mapping[str, Line]:
    """Return the lines of the lock by path, as in ``train/loop.py``."""
    lines = json.loads(LOCK.read_text(encoding="utf-8"))["files"]
    return {
        path: Line(
            line["generation"],
            line["bytes"],
            line["code"],
            line.get("key", path),
            tuple(line.get("parts", {}).items()),
        )
        for path, line in lines.items()
    }


@functools.cache
def generations_in_names() -> Mapping[str, Mapping[str, int]]:
    """Return the generations above 1 that are in the names of our components, as in ``attacks/fmn``."""
    names: dict[str, dict[str, int]] = json.loads(LOCK.read_text(encoding="utf-8"))["names"]
    return names


def path_in_lock(module: str) -> str | None:
    """Return the path of a module of Stillproof's, as the lock has it."""
    path = file_of(module) if module.partition(".")[0] == PACKAGE else None
    return None if path is None else path.relative_to(ROOT).as_posix()


def line_of(module: str) -> Line | None:
    """Return the line of a module's file, if it has one."""
    return read_lock().get(path_in_lock(module) or "")


@functools.cache
def difference(module: str, code: Code) -> str | None:
    """Return the hash of a file's code where it is not what the lock has; nothing where it is as released."""
    line = line_of(module)
    if line is not None and hashlib.sha256(code.text.encode()).hexdigest() == line.bytes:
        return None
    found = code_hash(code.text)
    return None if line is not None and found == line.code else found
