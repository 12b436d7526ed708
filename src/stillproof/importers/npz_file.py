"""Plain ``.npz`` files with images and labels, and possibly several experiments."""

from __future__ import annotations

from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.guess_space import guess_space
from stillproof.importers.known_methods import decode_of, method_in, recipe_of
from stillproof.importers.numpy_files import IMAGES, LABELS, channels_first, load_npz, npz_names
from stillproof.importers.read_labels import read_labels


class NpzFile:
    """One array of images and one of labels; a further axis in front counts experiments."""

    name = "npz"

    def recognises(self, path: Path) -> str:
        """Look at the names of the arrays."""
        if not is_file(path, ".npz"):
            return ""
        names = npz_names(path)
        found = [name for wanted in (IMAGES, LABELS) for name in wanted if name in names][:2]
        return f"arrays {' and '.join(names[name] for name in found)}" if len(found) == 2 else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read every experiment."""
        images, values = load_npz(path)
        images, about_shape = channels_first(images, info)
        if images.ndim == 5:
            if values.ndim < 2 or len(values) != len(images):
                shapes = f"images {tuple(images.shape)} and labels {tuple(values.shape)}"
                raise BadInput(f"{path}: {shapes} do not have the same number of experiments in front.")
            pairs = list(zip(images, values, strict=True))
        else:
            pairs = [(images, values)]
        space, about_space = guess_space(images, path.name)
        method = method_in(path.absolute(), "unknown")
        found = []
        for part, its_values in pairs:
            labels, about_labels = read_labels(its_values, path.name)
            decode = decode_of(method)
            packed = ["each image holds four, decoded as a 2 x 2 grid"] if decode == "grid2x2" else []
            about = (f"method {method}", *packed, *about_shape, about_space, about_labels)
            found.append(
                ForeignSet(part, labels, space, decode=decode, method=method, recipe=recipe_of(method), found=about)
            )
        return found
