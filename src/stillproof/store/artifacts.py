"""Artifacts on disk, each in a folder that is named by the hash of its content."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillproof.core.errors import BadInput, Corrupt
from stillproof.core.spec import Json
from stillproof.store.artifact_files import Artifact, read_arrays, read_folder, read_whole, seal
from stillproof.store.atomic import remove_stale, write_folders
from stillproof.store.error_sentences import disk_trouble
from stillproof.store.folder_files import CARD, TENSORS, beside

if TYPE_CHECKING:
    import numpy.typing as npt
    from torch import Tensor

VOLATILE = ("cost", "provenance")
CORRUPT = ".corrupt"  # folder of damaged artifacts

log = logging.getLogger("stillproof")


class Artifacts:
    """The artifacts below one folder; it is made when the first is written."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, artifact: str) -> Path:
        """Return the folder of the artifact with this id, whether or not it is there."""
        return self.root / artifact[:2] / artifact

    def write(
        self,
        kind: str,
        tensors: Mapping[str, Tensor],
        card: Json,
        volatile: Collection[str] = VOLATILE,
        extra: Mapping[str, bytes] | None = None,
    ) -> str:
        """Write an artifact, whole or not at all, and return its id; an existing sound one stays.

        Args:
            kind: What it is, such as ``distilled`` or ``model``.
            tensors: Its tensors by name.
            card: What is known of it, as JSON values.
            volatile: Keys of the card that do not name it.
            extra: Further files by name, for people to look at; they do not name it either.

        Raises:
            BadInput: Artifacts of this kind have no such further file: it would be lost where they are copied.
        """
        extra = extra or {}
        for name in extra:
            if name not in beside(kind):
                allowed = ", ".join(beside(kind))
                raise BadInput(
                    f"{name!r} cannot be a file beside the tensors of an artifact of kind {kind}: {allowed}."
                )
        artifact, files = seal(kind, tensors, card, volatile)
        self.place(artifact, {**files, **extra})
        return artifact

    def read(self, artifact: str) -> Artifact:
        """Read and check an artifact of this store."""
        found = read_folder(self.folder(artifact))
        if found.id != artifact:
            raise Corrupt(f"{self.folder(artifact) / CARD} is corrupt: it belongs to artifact {found.id[:12]}.")
        return found

    def arrays(self, artifact: str) -> dict[str, npt.NDArray[Any]]:
        """Return the tensors of an artifact of this store as arrays, checked; torch is not needed for it."""
        return read_arrays(self.folder(artifact))

    def is_sound(self, artifact: str) -> bool:
        """Say whether an artifact is there and holds what it held when it was sealed; all of it is read."""
        try:
            return self.read(artifact).id == artifact
        except Corrupt:
            return False

    def id_of(self, kind: str, tensors: Mapping[str, Tensor], card: Json, volatile: Collection[str] = VOLATILE) -> str:
        """Return the id that ``write`` of these would give; nothing is written."""
        return seal(kind, tensors, card, volatile)[0]

    def tensors_bytes(self, artifact: str) -> int | None:
        """Return the size of an artifact's file of tensors, or nothing if a file is missing; none is read."""
        folder = self.folder(artifact)
        with disk_trouble(folder):
            try:
                (folder / CARD).stat()
                return (folder / TENSORS).stat().st_size
            except (FileNotFoundError, NotADirectoryError):
                return None

    def copy_in(self, folder: Path) -> str:
        """Check the artifact in a folder elsewhere, copy it below this one and return its id."""
        found, files = read_whole(folder)
        self.place(found.id, files)
        return found.id

    def export(self, artifact: str, out: Path) -> None:
        """Copy an artifact to the folder ``out``, whole or not at all.

        Raises:
            BadInput: There is something else at ``out``.
        """
        _, files = read_whole(self.folder(artifact))
        with disk_trouble(out):
            out = out.absolute()
            if not out.exists() or (out.is_dir() and not any(out.iterdir())):
                write_folders({out: files}, out.parent)
        if not _is(out, artifact):
            raise BadInput(f"{out} exists and is not artifact {artifact[:12]}: name another folder.")

    def place(self, artifact: str, files: Mapping[str, bytes]) -> None:
        """Write the files of an artifact that were checked or sealed; an existing sound one stays."""
        self.place_all({artifact: files})

    def place_all(self, artifacts: Mapping[str, Mapping[str, bytes]]) -> None:
        """Write the files of several artifacts, as ``place`` does, in little more than the time of one."""
        with disk_trouble(self.root):
            remove_stale(self.root)
            new = {}
            for artifact, files in artifacts.items():
                target = self.folder(artifact)
                if target.exists() and not self.is_sound(artifact):
                    self._set_aside(target)
                if not target.exists():
                    new[target] = files
            write_folders(new, self.root)

    def _set_aside(self, target: Path) -> None:
        """Move a corrupt artifact out of the way; it is kept, since it may show what damaged it."""
        aside = self.root / CORRUPT / f"{target.name}.corrupt-{uuid.uuid4().hex}"
        aside.parent.mkdir(exist_ok=True)
        try:
            target.rename(aside)
        except FileNotFoundError:
            return  # another process was faster
        log.warning("artifact %s was corrupt: it is made anew, and its old files are in %s.", target.name[:12], aside)


def _is(folder: Path, artifact: str) -> bool:
    try:
        return read_folder(folder).id == artifact
    except Corrupt:
        return False
