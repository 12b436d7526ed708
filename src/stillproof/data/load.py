"""Loads a data set by name or by folder, and splits off the held-out part."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import get_args

import numpy as np

from stillproof.core.components import datasets
from stillproof.core.data_title import own_folder
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataSource, ImageSet, Split
from stillproof.data.content import content_id
from stillproof.data.splits import HELDOUT_SHARE, search_heldout, stratified

ENVIRONMENT = "STILLPROOF_DATA"


def data_root(option: str | None = None) -> Path:
    """Return the folder of the data sets: ``option``, else $STILLPROOF_DATA, else one in the user's cache."""
    chosen = option or os.environ.get(ENVIRONMENT)
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache" / "stillproof" / "data"


def source(reference: str) -> DataSource:
    """Return the data set that ``reference`` names: ``cifar10``, ``image_folder:path=DIR:size=64``, or a folder.

    A folder is short for ``image_folder`` with that path, and may have parameters: ``DIR:split=0.2``.
    """
    folder = own_folder(reference)
    known, there = folder.partition(":")[0] in datasets.entries(), Path(folder).expanduser().is_dir()
    if not known and not there and "/" in folder:  # a path, not a misspelt name
        raise BadInput(f"there is no folder {folder}: name the one that has train/CLASS/ and test/CLASS/.")
    if known or not there:
        return datasets.build(reference)
    return datasets.build(f"image_folder{reference[len(folder) :]}", {"path": folder})


def load(reference: str, split: Split, root: Path) -> ImageSet:
    """Return one split of a data set; the last few are kept in this process.

    Args:
        reference: A name, a name with parameters, or a folder, as in ``source``.
        split: ``train`` or ``test``; ``heldout`` is a fixed, stratified tenth of train and ``fit`` is the rest;
            ``search-heldout`` is the fifth of train that DC-Bench's architecture search looks at and ``search-fit`` the
            rest.
        root: The folder of the data sets.

    Raises:
        DataMissing: The files are not there.
        BadInput: They are broken, or there is no such ``split``.
    """
    kept = getattr(source(reference), "signature", None)  # of files that may change at any time
    return _load(reference, split, root, kept() if kept is not None else "")


@functools.lru_cache(maxsize=8)
def _load(reference: str, split: Split, root: Path, signature: str) -> ImageSet:
    if split == "train" or split == "test":
        return source(reference).load(root, split)
    if split not in get_args(Split):
        raise BadInput(f"unknown split {split!r}; choose one of {', '.join(get_args(Split))}.")
    return _part_of(_load(reference, "train", root, signature), split)


def _part_of(train: ImageSet, split: Split) -> ImageSet:
    """Return a held-out part of ``train``, or the rest, as a copy in memory."""
    import torch

    labels = train.labels.numpy()
    if split in ("heldout", "fit"):
        chosen = stratified(labels, HELDOUT_SHARE, Seeds(0).child("heldout", train.info.name))
    else:
        chosen = search_heldout(len(labels))
    if split in ("fit", "search-fit"):
        chosen = np.setdiff1d(np.arange(len(labels)), chosen)
    index = torch.from_numpy(chosen)
    images = train.images[index]
    data_id = content_id(train.info.name, split, images.permute(0, 2, 3, 1).numpy(), labels[chosen])
    return ImageSet(images, train.labels[index], train.info, data_id)
