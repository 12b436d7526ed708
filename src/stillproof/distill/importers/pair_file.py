"""Files of IDC and DREAM: a pair of images and labels, four images packed in each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.distill.importers.foreign import Foreign
from stillproof.distill.importers.methods import method_in, recipe_of
from stillproof.distill.importers.read_labels import read_labels
from stillproof.distill.importers.safe_load import load_torch

# IDC feeds its networks pixels that are normalised with these, which are not the usual ones.
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2471, 0.2435, 0.2616)


class PairFile:
    """``torch.save((images, labels))``."""

    name = "idc"

    def recognises(self, path: Path) -> str:
        """Look for two tensors."""
        if path.suffix not in (".pt", ".pth") or not path.is_file():
            return ""
        return "a pair of images (N, C, H, W) and labels" if _pair(load_torch(path)) else ""

    def read(self, path: Path, info: DataInfo) -> list[Foreign]:
        """Read the pair; pixels of CIFAR-10 are normalised with the constants that IDC trains with."""
        pair = _pair(load_torch(path))
        if pair is None:
            raise BadInput(f"{path} is not a pair of images and labels.")
        images, values = pair
        labels, about_labels = read_labels(values, path.name)
        if not images.is_floating_point():
            raise BadInput(f"{path}: images are {images.dtype}, not floats: divide whole numbers by 255 first.")
        if not bool(((images >= 0) & (images <= 1)).all()):
            raise BadInput(
                f"{path}: images reach from {images.min():.2f} to {images.max():.2f}, but a pair in one file is "
                "taken for IDC's or DREAM's, which are in [0, 1]: save any other set as a .npz of images and labels."
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
            return [Foreign(images, labels, "pixels", found=tuple(about), **packed)]
        about.append(f"normalised with the constants of IDC for CIFAR-10, std {STD}")
        mean, std = (torch.tensor(constants).view(1, -1, 1, 1) for constants in (MEAN, STD))
        return [Foreign((images - mean) / std, labels, "normalised", MEAN, STD, found=tuple(about), **packed)]


def _pair(content: Any) -> tuple[Tensor, Tensor] | None:
    if not (isinstance(content, list) and len(content) == 2 and all(isinstance(part, Tensor) for part in content)):
        return None
    images, labels = content
    return (images, labels) if images.ndim == 4 and labels.ndim in (1, 2) else None
