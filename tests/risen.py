"""A release in which the numbers of some components may have changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stillproof.core import lock


@contextmanager
def risen_since(folder: Path, **files: str) -> Iterator[None]:
    """Let files be of generation 2, by the components that they are, as in ``distillers_dm="distill/dm.py"``."""
    found = json.loads(lock.LOCK.read_text(encoding="utf-8"))
    for name, file in files.items():
        found["names"][name.replace("_", "/", 1)] = {file: 2}
    (folder / "lock.json").write_text(json.dumps(found), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lock, "LOCK", folder / "lock.json")
        lock.generations_in_names.cache_clear()
        yield
    lock.generations_in_names.cache_clear()
