"""The contract of a data set."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from stillproof.core.components import datasets
from stillproof.core.errors import DataMissing
from stillproof.data.load import data_root, load
from stillproof.testing.checks import CannotBeChecked, Result, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice


def check_dataset(name: str, root: Path | None = None) -> list[Result]:
    """Run the contract; where the files are not there, only that it says so."""
    return run_checks(
        "data set",
        name,
        {
            "says clearly when its files are not there": lambda: _missing(name),
            "both splits fit what it says of itself": lambda: _splits(name, root or data_root(None)),
            TITLE: lambda: try_every_choice(datasets, name, lambda choice: _missing(name, choice)),
        },
    )


def _missing(name: str, choice: Mapping[str, Any] | None = None) -> None:
    with tempfile.TemporaryDirectory() as empty:
        try:
            datasets.build(name, choice).load(Path(empty), "test")
        except DataMissing as error:
            need(len(str(error)) > 20, "its message does not help")


def _splits(name: str, root: Path) -> None:
    try:
        load(name, "test", root)
    except DataMissing as error:
        raise CannotBeChecked from error
    for split in ("train", "test"):
        data = load(name, split, root)
        info = data.info
        need(
            tuple(data.images.shape[1:]) == (info.channels, info.size, info.size),
            f"{split} images are {data.images.shape}",
        )
        need(len(data.images) == len(data.labels), f"{split} has {len(data.images)} images, {len(data.labels)} labels")
        need(data.labels.dtype == torch.int64, f"{split} labels are {data.labels.dtype}")
        need(len(set(data.labels.tolist())) == info.num_classes, f"{split} lacks some of {info.num_classes} classes")
        need(data.id.startswith(f"{info.name}/{split}@sha256:"), f"{split} is called {data.id}")
        pixels = data.read(slice(0, 10))
        need(float(pixels.min()) >= 0 and float(pixels.max()) <= 1, f"{split} pixels leave [0, 1]")
        need(len(info.mean) == len(info.std) == info.channels, "mean and std do not fit the channels")
