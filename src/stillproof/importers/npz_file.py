"""Plain ``.npz`` files with images and labels, and possibly several experiments."""

from __future__ import annotations

from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.numpy_files import load_npz, npz_names
from stillproof.importers.pair_names import pair_of
from stillproof.importers.plain_set import plain_set


class NpzFile:
    """One array of images and one of labels; a further axis in front counts experiments."""

    name = "npz"

    def recognises(self, path: Path) -> str:
        """Look at the names of the arrays."""
        if not is_file(path, ".npz"):
            return ""
        names = npz_names(path)
        found = pair_of(names)
        return f"arrays {' and '.join(names[name] for name in found)}" if found else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read every experiment."""
        images, values = load_npz(path)
        if images.ndim != 5:
            return [plain_set(images, values, path, info)]
        if values.ndim < 2 or len(values) != len(images):
            shapes = f"images {tuple(images.shape)} and labels {tuple(values.shape)}"
            raise BadInput(f"{path}: {shapes} do not have the same number of experiments in front.")
        return [plain_set(part, its_values, path, info) for part, its_values in zip(images, values, strict=True)]
