"""Files of KIP: images with their channels last, and labels that are one-hot minus 1 / classes, or learned."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from torch.nn import functional as F

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, Stored
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.numpy_files import load_npz, npz_names
from stillproof.importers.read_images import channels_first, says_zca
from stillproof.sets.usual_recipes import LEARNED_LABELS

NAME = re.compile(r"(?:^|_)(?:kip|ssize\d+)_", re.IGNORECASE)
# KIP standardises with the exact statistics, which for CIFAR-10 are not the constants that others use.
CIFAR10_MEAN, CIFAR10_STD = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)


class KipFile:
    """One ``.npz``, whose name says whether it is whitened and whether labels were learned."""

    name = "kip"

    def recognises(self, path: Path) -> str:
        """Look at the name and at the names of the arrays."""
        if not is_file(path, ".npz") or not NAME.search(path.name):
            return ""
        return "a .npz that is named as KIP's are" if {"images", "labels"} <= npz_names(path).keys() else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the set; learned labels are trained on with squared error."""
        images, values = load_npz(path)
        images, about_shape = channels_first(images, info)
        if values.ndim != 2 or not values.is_floating_point():
            raise BadInput(
                f"{path}: KIP's labels are rows of floats, and these are {values.dtype} {tuple(values.shape)}."
            )
        labels = Stored("centred", values.float())
        plain = F.one_hot(values.argmax(1), values.shape[1]) - 1 / values.shape[1]
        learned = not bool((labels.values - plain).abs().max() < 1e-3)
        space: dict[str, Any] = {"space": "normalised"}
        about_space = "standardised images, since the name does not say zca"
        if says_zca(Path(path.name)):
            space = {"space": "zca", "whitening": "kip"}
            about_space = "whitened images, since the name says zca; test images go through KIP's own whitening"
        elif info.name == "cifar10":
            space |= {"mean": CIFAR10_MEAN, "std": CIFAR10_STD}
        about = "labels were learned, so they are trained on with squared error" if learned else "labels are centred"
        recipe: dict[str, Any] = {"recipe": LEARNED_LABELS} if learned else {}
        found = (*about_shape, f"taken for {about_space}", about)
        return [ForeignSet(images, labels, method="KIP", found=found, **space, **recipe)]
