"""Two files, one of images and one of labels: both named by the user, or one found beside the other."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.numpy_files import load_npy
from stillproof.importers.plain_set import plain_set
from stillproof.importers.torch_file import load_tensor

WORDS = (("images", "labels"), ("image", "label"), ("X", "y"), ("x", "y"), ("X", "Y"), ("data", "targets"))
CALLED = "called images, labels, X or y"
TWO_FILES = "two-files"  # what this form is called; naming both files asks for it
ENDINGS = (".npy", ".pt", ".pth")


@dataclass(eq=False)
class FilePair:
    """Either file, with the other one beside it, or the folder that holds both.

    Args:
        name: As ``--format`` takes it.
        endings: How such files end.
    """

    name: str
    endings: tuple[str, ...]

    def recognises(self, path: Path) -> str:
        """Look for a name that has a partner; a folder has to hold both."""
        if path.is_dir():
            whole = self._in_folder(path)
            return f"it holds {whole[0].name} and {whole[1].name}" if whole else ""
        return f"a {path.suffix} file that is {CALLED}" if any(self._pairs(path)) else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read both files."""
        whole = self._in_folder(path) if path.is_dir() else self._of_file(path)
        if whole is None:
            raise BadInput(f"{path} holds no two {self.endings[0]} files that are {CALLED}.")
        return [read_two_files(*whole, info)]

    def _of_file(self, path: Path) -> tuple[Path, Path]:
        pairs = list(self._pairs(path))
        if not pairs:
            raise BadInput(f"{path} is not a {self.endings[0]} file that is {CALLED}.")
        whole = next((pair for pair in pairs if all(file.is_file() for file in pair)), None)
        if whole is None:
            missing = next(file for file in pairs[0] if file != path)
            raise BadInput(f"{missing} is missing: it belongs to {path.name}; --images and --labels take any names.")
        return whole

    def _in_folder(self, folder: Path) -> tuple[Path, Path] | None:
        pairs = ((folder / f"{a}{end}", folder / f"{b}{end}") for a, b in WORDS for end in self.endings)
        return next((pair for pair in pairs if all(file.is_file() for file in pair)), None)

    def _pairs(self, path: Path) -> Iterator[tuple[Path, Path]]:
        """Yield the pairs of names, images first, that ``path`` can be one of."""
        if not is_file(path, *self.endings):
            return
        for words in WORDS:
            for word in words:
                pattern = rf"(?<![A-Za-z]){word}(?![A-Za-z])"
                if re.search(pattern, path.stem):
                    images, labels = (path.with_stem(re.sub(pattern, part, path.stem)) for part in words)
                    yield images, labels


NPY_PAIR = FilePair("npy", (".npy",))
PT_PAIR = FilePair("pt", (".pt", ".pth"))


def read_two_files(images: Path, labels: Path, info: DataInfo) -> ForeignSet:
    """Read a file of images and one of labels, whatever they are called."""
    found = plain_set(_tensor(images), _tensor(labels), images, info, (images, labels))
    return dataclasses.replace(found, found=(f"{images.name} with {labels.name}", *found.found))


def _tensor(path: Path) -> Tensor:
    if not path.is_file():
        raise BadInput(f"{path} does not exist, or is not a file.")
    if not is_file(path, *ENDINGS):
        raise BadInput(f"{path} cannot be one of two files: arrays in .npy and tensors in .pt or .pth are read.")
    return load_npy(path) if is_file(path, ".npy") else load_tensor(path)
