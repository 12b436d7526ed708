"""Files that survive a power cut."""

from __future__ import annotations

import os
from pathlib import Path


def write_durably(path: Path, *parts: bytes) -> None:
    """Write a file and wait until it is on the disk, so that what is renamed afterwards is whole."""
    with path.open("wb") as file:
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())
