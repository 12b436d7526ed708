"""Files of IDC and DREAM: a pair of images and labels, four images packed in each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.known_methods import method_in, recipe_of
from stillproof.importers.plain_files import PAIR, is_pair, read_pair
from stillproof.importers.read_images import eight_bit_pixels, is_eight_bit
from stillproof.importers.read_labels import read_labels

NAMED = ("data_best.pt", "idc", "dream", "factor2")  # in names of IDC's files and folders
# IDC feeds its networks pixels that are normalised with these, which are not the usual ones.
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2471, 0.2435, 0.2616)


class IdcPair:
    """``torch.save((images, labels))``, as IDC and DREAM call such files."""

    name = "idc"

    def recognises(self, path: Path) -> str:
        """Look for two tensors, and for a name: a pair alone does not tell that four images are in each."""
        words = f"{path.absolute().parent.name}/{path.name}".lower()
        named = next((word for word in NAMED if word in words), "")
        return f"{PAIR}, in a file of IDC's kind: {named!r} in its name" if named and is_pair(path) else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the pair; pixels of CIFAR-10 are normalised with the constants that IDC trains with."""
        images, values = read_pair(path)
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
