"""The checkpoints of one cell: each worker writes files of its own, and goes on from what anybody left.

A worker may have lost its cell without knowing: it was suspended, or its network was. What it still writes then lies
beside what its successor writes, and never in its place.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from stillproof.core.checkpoint import SUFFIX, load, restore_loop, save, save_loop


def writer_name() -> str:
    """Return a name for one computation of a cell, for files: which machine, which process, and what tells it apart."""
    machine = re.sub(r"[^A-Za-z0-9-]", "-", platform.node().partition(".")[0])[:30]
    return f"{machine}-{os.getpid()}-{uuid.uuid4().hex[:12]}"


class Scratch:
    """A folder of checkpoints, and what one writer does in it."""

    def __init__(self, folder: Path, check: Callable[[], None]) -> None:
        """Write nothing yet.

        Args:
            folder: Folder of the cell.
            check: Asked before a file takes its place; raises where the cell is another's.
        """
        self.folder = folder
        self._check = check
        self._writer = writer_name()
        self._before: dict[str, list[Path]] = {}  # what others had left when this writer began, by name

    def restore_loop(self, name: str, parts: Mapping[str, Any], kept: Mapping[str, list[Any]]) -> int:
        """Put back what the furthest of all sound checkpoints of a loop has; return its step, 0 if there is none."""
        left = self._before[name] = self._left(name)
        if len(left) > 1:
            left = sorted(left, key=_step_of, reverse=True)
        steps = (restore_loop(path, parts, kept) for path in left)
        return next((step for step in steps if step), 0)

    def save_loop(self, name: str, step: int, parts: Mapping[str, Any], kept: Mapping[str, list[Any]]) -> None:
        """Save a loop; what it went on from is needed no more."""
        own = self._own(name)
        save_loop(own, step, parts, kept, self._check)
        for path in self._before.pop(name, ()):
            if path == own:  # of a loop that this writer has gone through before
                continue
            with contextlib.suppress(OSError):  # it is gone, or only takes space until the cell ends
                path.unlink()

    def save(self, name: str, value: object) -> None:
        """Save a value of tensors and plain values."""
        save(self._own(name), value, self._check)

    def load(self, name: str) -> Any:
        """Return a value as anybody saved it; None if there is none that is sound."""
        return next((value for path in self._left(name) if (value := load(path)) is not None), None)

    def _own(self, name: str) -> Path:
        return self.folder / f"{name}.{self._writer}{SUFFIX}"

    def _left(self, name: str) -> list[Path]:
        """Return the files of a name, whoever wrote them; those of earlier versions have nobody's name in theirs."""
        found = self.folder.glob(f"{name}*{SUFFIX}") if self.folder.is_dir() else ()
        ours = re.compile(rf"{re.escape(name)}(\.[A-Za-z0-9-]+)?{re.escape(SUFFIX)}")
        return sorted(path for path in found if ours.fullmatch(path.name))


def _step_of(path: Path) -> int:
    saved = load(path)
    return saved["step"] if isinstance(saved, dict) and isinstance(saved.get("step"), int) else 0
