"""Images and labels in a form that is nobody's own: what they are is told by their numbers, whose by a name."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor

from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import OWN, ForeignSet
from stillproof.importers.guess_space import guess_space
from stillproof.importers.known_methods import decode_of, method_in, recipe_of
from stillproof.importers.numpy_files import channels_first
from stillproof.importers.read_labels import read_labels


def plain_set(images: Tensor, labels: Tensor, path: Path, info: DataInfo, files: tuple[Path, ...] = ()) -> ForeignSet:
    """Return the set; ``path`` is where the images were read, and ``files`` are all that were, if there are several."""
    images, about_shape = channels_first(images, info)
    read, about_labels = read_labels(labels, files[-1].name if files else path.name)
    space, about_space = guess_space(images, path.name)
    method = method_in(path.absolute())
    decode = decode_of(method)
    about = [f"method {method}" if method != OWN else "no name says whose method it is (--method NAME does)"]
    about += ["each image holds four, decoded as a 2 x 2 grid"] if decode == "grid2x2" else []
    found = (*about, *about_shape, about_space, about_labels)
    recipe = recipe_of(method)
    return ForeignSet(images, read, space, decode=decode, method=method, recipe=recipe, found=found, files=files)
