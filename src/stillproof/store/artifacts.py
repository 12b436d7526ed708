"""Artifacts on disk, each in a folder that is named by the hash of its content."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput, Corrupt
from stillproof.core.spec import Json
from stillproof.store.atomic import write_folder
from stillproof.store.sealed import CARD, TENSORS, Artifact, check, read_files, read_folder, seal
from stillproof.store.trouble import disk_trouble

if TYPE_CHECKING:
    from torch import Tensor

VOLATILE = ("cost", "provenance")


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
        """Write an artifact, whole or not at all, and return its id.

        Args:
            kind: What it is, such as ``distilled`` or ``model``.
            tensors: Its tensors by name.
            card: What is known of it, as JSON values.
            volatile: Keys of the card that do not name it.
            extra: Further files by name, for people to look at; they do not name it either.
        """
        extra = extra or {}
        for name in extra:
            if name in ("", ".", "..", TENSORS, CARD) or Path(name).name != name:
                raise BadInput(f"{name!r} cannot be the name of a file beside the tensors of an artifact.")
        artifact, files = seal(kind, tensors, card, volatile)
        self._place(artifact, {**files, **extra})
        return artifact

    def read(self, artifact: str) -> Artifact:
        """Read and check an artifact of this store."""
        found = read_folder(self.folder(artifact))
        if found.id != artifact:
            raise Corrupt(f"{self.folder(artifact) / CARD} is corrupt: it belongs to artifact {found.id[:12]}.")
        return found

    def read_folder(self, folder: Path) -> Artifact:
        """Read and check an artifact folder, wherever it is."""
        return read_folder(folder)

    def adopt(self, folder: Path) -> str:
        """Check the artifact in a foreign folder, copy it into this store and return its id."""
        files = read_files(folder)
        artifact = check(files, folder).id
        self._place(artifact, files)
        return artifact

    def export(self, artifact: str, out: Path) -> None:
        """Copy an artifact to the folder ``out``, whole or not at all.

        Raises:
            BadInput: There is something else at ``out``.
        """
        files = read_files(self.folder(artifact))
        check(files, self.folder(artifact))
        with disk_trouble(out):
            out = out.absolute()
            if not out.exists() or (out.is_dir() and not any(out.iterdir())):
                write_folder(files, out, out.parent)
        if not _is(out, artifact):
            raise BadInput(f"{out} exists and is not artifact {artifact[:12]}: name another folder.")

    def _place(self, artifact: str, files: Mapping[str, bytes]) -> None:
        target = self.folder(artifact)
        with disk_trouble(self.root):
            if not target.exists():
                write_folder(files, target, self.root)


def _is(folder: Path, artifact: str) -> bool:
    try:
        return read_folder(folder).id == artifact
    except Corrupt:
        return False
