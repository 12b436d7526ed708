"""Writes a site into a folder: whole or not at all, and never over files that are not its own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.store.error_sentences import disk_trouble

MARK = ".stillproof-site"  # a folder with this file is a site, and may be written anew


def write_site(out: Path, files: Iterable[tuple[str, str | bytes]], *, force: bool = False) -> int:
    """Write all files into a folder beside it, then put that into its place; return how many bytes they have.

    Raises:
        BadInput: The folder has files that are not those of a site.
    """
    if out.exists() and not force and not _is_site(out):
        raise BadInput(
            f"{out} is there and holds other files: name a new folder, or add --force (force=True in Python), which "
            "replaces it."
        )
    with disk_trouble(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        try:
            size = 0
            for name, text in (*files, (MARK, "")):
                size += (made / name).write_bytes(text.encode() if isinstance(text, str) else text)
            made.chmod(0o755)
            if out.exists():
                shutil.rmtree(out)
            made.rename(out)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    return size


def _is_site(folder: Path) -> bool:
    return folder.is_dir() and ((folder / MARK).is_file() or not any(folder.iterdir()))
