"""Folders that appear whole or not at all, and survive a power cut."""

from __future__ import annotations

import logging
import os
import shutil
import time
import uuid
from collections.abc import Mapping
from pathlib import Path

from stillproof.core.durable import write_durably

# No write lasts nearly as long, on the slowest disk and with clocks that differ by hours: whoever wrote it is dead.
STALE_SECONDS = 24 * 3600.0
PARTIAL = ".partial-"

log = logging.getLogger("stillproof")


def write_folder(files: Mapping[str, bytes], target: Path, workplace: Path) -> None:
    """Write ``files``, by name, to the new folder ``target``; an existing folder with content stays.

    They are written below ``workplace``, on the same file system, and moved when they are complete.
    """
    partial = workplace / f"{PARTIAL}{uuid.uuid4().hex}"
    partial.mkdir(parents=True)
    try:
        for name, data in files.items():
            write_durably(partial / name, data)
        _flush(partial)
        target.parent.mkdir(parents=True, exist_ok=True)
        _move(partial, target)
        _flush(target.parent)
    finally:
        if partial.exists():
            shutil.rmtree(partial)


def remove_stale(workplace: Path) -> None:
    """Remove what writers that were killed left below ``workplace`` more than a day ago."""
    for partial in workplace.glob(f"{PARTIAL}*"):
        try:
            if partial.stat().st_mtime < time.time() - STALE_SECONDS:
                shutil.rmtree(partial)
        except FileNotFoundError:
            continue  # another process removes it too
        except OSError as error:  # it may be somebody else's, and must not stop the write that is to come
            log.warning("%s was left by a writer that was killed, and cannot be removed: %s.", partial, error)


def _move(partial: Path, target: Path) -> None:
    try:
        partial.replace(target)
    except OSError:
        if not target.is_dir():
            raise  # else another process was faster


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
