"""Pairs of images and labels in one file: those of IDC and DREAM, four images packed in each, and plain ones."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.eight_bit import eight_bit_pixels, is_eight_bit
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.known_methods import method_in, recipe_of
from stillproof.importers.plain_set import plain_set
from stillproof.importers.read_labels import read_labels
from stillproof.importers.torch_file import load_torch

PAIR = "a pair of images and labels"
NAMED = ("data_best.pt", "idc", "dream", "factor2")  # in names of IDC's files and folders
# IDC feeds its networks pixels that are normalised with these, which are not the usual ones.
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2471, 0.2435, 0.2616)


class PackedPair:
    """``torch.save((images, labels))``, as IDC and DREAM call such files."""

    name = "idc"

    def recognises(self, path: Path) -> str:
        """Look for two tensors, and for a name: a pair alone does not tell that four images are in each."""
        words = f"{path.absolute().parent.name}/{path.name}".lower()
        named = next((word for word in NAMED if word in words), "")
        return f"{PAIR}, in a file of IDC's kind: {named!r} in its name" if named and _is_pair(path) else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the pair; pixels of CIFAR-10 are normalised with the constants that IDC trains with."""
        images, values = _read_pair(path)
        labels, about_labels = read_labels(values, path.name)
        if is_eight_bit(images):
            images, _ = eight_bit_pixels(images, info)
        if not images.is_floating_point():
            raise BadInput(f"{path}: images are {images.dtype}, not floats: divide whole numbers by 255 first.")
        if not bool(((images >= 0) & (images <= 1)).all()):
            raise BadInput(
                f"{path}: images reach from {images.min():.3g} to {images.max():.3g}, but those of IDC and DREAM "
                "are in [0, 1]: for any other pair of images and labels, say --format pair."
            )
        method = method_in(path.absolute(), "IDC")
        about = [
            f"method {method}",
            "each image holds four, decoded as a 2 x 2 grid",
            about_labels,
            "stored as pixels in [0, 1]",
        ]
        packed: dict[str, Any] = {"decode": "grid2x2", "method": method, "recipe": recipe_of(method)}
        if info.name != "cifar10" or images.ndim != 4 or images.shape[1] != len(MEAN):
            return [ForeignSet(images, labels, "pixels", found=tuple(about), **packed)]
        about.append(f"normalised with the constants of IDC for CIFAR-10, std {STD}")
        mean, std = (torch.tensor(constants).view(1, -1, 1, 1) for constants in (MEAN, STD))
        return [ForeignSet((images - mean) / std, labels, "normalised", MEAN, STD, found=tuple(about), **packed)]


class PlainPair:
    """``torch.save((images, labels))`` of anybody."""

    name = "pair"

    def recognises(self, path: Path) -> str:
        """Look for two tensors."""
        return PAIR if _is_pair(path) else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the pair; one image is in each, unless its method packs them."""
        found = plain_set(*_read_pair(path), path, info)
        each = ["one image in each (--format idc says otherwise)"] if found.decode == "none" else []
        return [dataclasses.replace(found, found=(*each, *found.found))]


def _is_pair(path: Path) -> bool:
    return is_file(path, ".pt", ".pth") and _pair(load_torch(path)) is not None


def _read_pair(path: Path) -> tuple[Tensor, Tensor]:
    pair = _pair(load_torch(path))
    if pair is None:
        raise BadInput(f"{path} is not a pair of images and labels.")
    return pair


def _pair(content: Any) -> tuple[Tensor, Tensor] | None:
    if not (isinstance(content, list) and len(content) == 2 and all(isinstance(part, Tensor) for part in content)):
        return None
    images, labels = content
    # Grey images may have no axis of channels; then the labels, as many, tell a pair from two other tensors.
    grey = images.ndim == 3 and labels.ndim >= 1 and len(images) == len(labels)
    return (images, labels) if (images.ndim == 4 or grey) and labels.ndim in (1, 2) else None
