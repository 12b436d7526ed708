"""Results of the first dataset distillation (Wang et al. 2018): a list of steps, each with images and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.read_images import guess_space
from stillproof.importers.read_labels import read_labels
from stillproof.importers.torch_file import load_torch


class DdResults:
    """``results.pth``, whose last step counts."""

    name = "dd"

    def recognises(self, path: Path) -> str:
        """Look for a list of lists of tensors."""
        if not is_file(path, ".pt", ".pth"):
            return ""
        return "a list whose last entry begins with images and labels" if _last(load_torch(path)) else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the last entry."""
        content = load_torch(path)
        last = _last(content)
        if last is None:
            raise BadInput(f"{path} is not a list whose last entry is [images, labels, ...].")
        images, values = last
        labels, about_labels = read_labels(values, path.name)
        space, about_space = guess_space(images, path.name)
        about = f"the last of {len(content)} entries is taken"
        return [ForeignSet(images, labels, space, method="DD", found=(about, about_space, about_labels))]


def _last(content: Any) -> tuple[Tensor, Tensor] | None:
    entry = content[-1] if isinstance(content, list) and content else None
    if not (isinstance(entry, list) and len(entry) >= 2 and all(isinstance(part, Tensor) for part in entry[:2])):
        return None
    return (entry[0], entry[1]) if entry[0].ndim == 4 else None
