"""Images and labels in a plain form of no method's own: what they are called, what they are, and whose."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from torch import Tensor

from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import OWN, ForeignSet
from stillproof.importers.known_methods import decode_of, method_in, recipe_of
from stillproof.importers.read_images import channels_first, guess_space
from stillproof.importers.read_labels import read_labels

# What people call arrays, or entries of a dictionary. Words of one line belong together; all are in small letters.
PAIRS = (
    ("images", "labels"),
    ("image", "label"),
    ("imgs", "labels"),
    ("x", "y"),
    ("x_train", "y_train"),
    ("data", "targets"),
    ("data", "target"),
    ("inputs", "targets"),
    ("image_syn", "label_syn"),
    ("images_syn", "labels_syn"),
    ("syn_images", "syn_labels"),
    ("images_train", "labels_train"),
    ("train_images", "train_labels"),
)
ANY = tuple((images, labels) for images, _ in PAIRS for _, labels in PAIRS)


def pair_of(names: Container[str]) -> tuple[str, str] | None:
    """Return what images and labels are called among ``names``; words that belong together come first."""
    return next((pair for pair in (*PAIRS, *ANY) if all(name in names for name in pair)), None)


def plain_set(images: Tensor, labels: Tensor, path: Path, info: DataInfo, files: tuple[Path, ...] = ()) -> ForeignSet:
    """Return the set, as its numbers and its name tell it.

    ``path`` is where the images were read, and ``files`` are all that were, if there are several.
    """
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
