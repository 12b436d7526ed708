"""Folders that go: moved away before they are taken apart, so that nobody finds half of one."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path

from stillproof.store.atomic import PARTIAL
from stillproof.store.error_sentences import disk_trouble


def bytes_of(folder: Path) -> int:
    """Return the size of all files below a folder, or nothing if it is not there."""
    with disk_trouble(folder):
        return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def discard(folders: Iterable[Path], root: Path) -> int:
    """Remove folders below ``root`` and return their size; each is moved away before it is taken apart."""
    freed = 0
    with disk_trouble(root):
        for folder in folders:
            if not folder.exists():
                continue
            freed += bytes_of(folder)
            aside = root / f"{PARTIAL}{uuid.uuid4().hex}"
            folder.rename(aside)
            shutil.rmtree(aside)
    return freed
