"""Pickles of IDM: a pair of images and labels, on whatever device they were made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import ForeignSet, is_file
from stillproof.importers.known_methods import decode_of, method_in, recipe_of
from stillproof.importers.pickled_tensors import load_pickled_tensors
from stillproof.importers.read_images import guess_space
from stillproof.importers.read_labels import read_labels
from stillproof.importers.reported_accuracies import reported_in_name

PROTOCOL = b"\x80"  # the first byte of every pickle since protocol 2
TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # the first pickle in files of an early torch.save


class IdmPickle:
    """``pickle.dump((images, labels))``."""

    name = "idm"

    def recognises(self, path: Path) -> str:
        """Look at the name and the first byte."""
        return "a pickle" if is_plain_pickle(path) else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read the pair onto the CPU."""
        content = load_pickled_tensors(path)
        if not isinstance(content, list) or len(content) < 2:
            raise BadInput(f"{path} is not a pickled pair of images and labels.")
        images, values = (_tensor(part, path) for part in content[:2])
        labels, about_labels = read_labels(values, path.name)
        space, about_space = guess_space(images, path.name)
        method = method_in(path.absolute(), "IDM")
        decode = "none" if "aug_false" in path.absolute().parent.name.lower() else decode_of(method)
        about = "each image holds four, decoded as a 2 x 2 grid" if decode == "grid2x2" else "each image holds one"
        return [
            ForeignSet(
                images,
                labels,
                space,
                decode=decode,
                method=method,
                recipe=recipe_of(method),
                found=(f"method {method}", about, about_space, about_labels),
                reported=reported_in_name(path.stem),
            )
        ]


def is_plain_pickle(path: Path) -> bool:
    """Say whether a file is called a pickle and begins as one, and not as a file of ``torch.save``."""
    if not is_file(path, ".pkl", ".pickle"):
        return False
    with path.open("rb") as file:
        start = file.read(len(TORCH))
    return start.startswith(PROTOCOL) and start != TORCH


def _tensor(value: Any, path: Path) -> Tensor:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if not isinstance(value, Tensor):
        raise BadInput(f"{path} holds a {type(value).__name__} where a tensor is expected.")
    return value
