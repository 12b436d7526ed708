"""Folders that appear whole or not at all, and survive a power cut."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

# No write lasts nearly as long, on the slowest disk and with clocks that differ by hours: whoever wrote it is dead.
STALE_SECONDS = 24 * 3600.0
PARTIAL = ".partial-"
MANY = 50  # files for which the disk is waited for once, and not for each: it takes milliseconds

log = logging.getLogger("stillproof")


def write_folders(folders: Mapping[Path, Mapping[str, bytes]], workplace: Path) -> None:
    """Write files, by name, to new folders, each whole or not at all; an existing folder with content stays.

    They are written below ``workplace``, on the same file system, and moved when they are complete.
    """
    partials: dict[Path, Path] = {}
    try:
        for target, files in folders.items():
            partial = partials[target] = workplace / f"{PARTIAL}{uuid.uuid4().hex}"
            partial.mkdir(parents=True)
            for name, data in files.items():
                (partial / name).write_bytes(data)
        _flush([partial / name for target, partial in partials.items() for name in folders[target]])
        _flush(list(partials.values()))
        for target, partial in partials.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            _move(partial, target)
        _flush(list(dict.fromkeys(target.parent for target in partials)))
    finally:
        for partial in partials.values():
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


def _flush(paths: Sequence[Path]) -> None:
    """Wait until files, or what folders list, are on the disk."""
    if len(paths) > MANY and sys.platform == "linux":  # elsewhere, sync need not wait
        os.sync()
        return
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
