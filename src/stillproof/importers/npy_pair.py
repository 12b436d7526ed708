"""Two ``.npy`` files, one of images and one of labels, whose names differ in that word alone."""

from __future__ import annotations

import re
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.guess_space import guess_space
from stillproof.importers.known_methods import method_in, recipe_of
from stillproof.importers.numpy_files import channels_first, load_npy
from stillproof.importers.read_labels import read_labels

WORDS = (("images", "labels"), ("X", "y"), ("x", "y"), ("data", "targets"))


class NpyPair:
    """Either file, with the other one beside it."""

    name = "npy"

    def recognises(self, path: Path) -> str:
        """Look for a name that has a partner."""
        return "a .npy file that is called images, labels, X or y" if _pairs(path) else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read both files."""
        pairs = _pairs(path)
        if not pairs:
            raise BadInput(f"{path} is not a .npy file that is called images, labels, X or y.")
        whole = next((pair for pair in pairs if all(file.is_file() for file in pair)), None)
        if whole is None:
            raise BadInput(
                f"{next(file for file in pairs[0] if file != path)} is not there: it belongs to {path.name}."
            )
        images, about_shape = channels_first(load_npy(whole[0]), info)
        labels, about_labels = read_labels(load_npy(whole[1]), whole[1].name)
        space, about_space = guess_space(images, whole[0].name)
        method = method_in(path.absolute(), "unknown")
        about = (f"{whole[0].name} with {whole[1].name}", f"method {method}", *about_shape, about_space, about_labels)
        return [ForeignSet(images, labels, space, method=method, recipe=recipe_of(method), found=about, files=whole)]


def _pairs(path: Path) -> list[tuple[Path, Path]]:
    """Return the pairs of names, images first, that ``path`` can be one of."""
    if not is_file(path, ".npy"):
        return []
    found = []
    for images, labels in WORDS:
        for word in (images, labels):
            pattern = rf"(?<![A-Za-z]){word}(?![A-Za-z])"
            if re.search(pattern, path.stem):
                pair = [path.with_stem(re.sub(pattern, part, path.stem)) for part in (images, labels)]
                found.append((pair[0], pair[1]))
    return found
