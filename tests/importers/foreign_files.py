"""Writes small files as other people's programs do, for a data set of 8 x 8 grey images in ten classes."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stillproof.core.types import DataInfo
from stillproof.data.load import source

INFO: DataInfo = source("digits").info
LABELS = torch.arange(10).repeat_interleave(2)


def images(count: int = 20, seed: int = 0) -> Tensor:
    return torch.randn(count, 1, 8, 8, generator=torch.Generator().manual_seed(seed))


def results(folder: Path, method: str = "DC", experiments: int = 1) -> Path:
    data = [[images(seed=seed), LABELS] for seed in range(experiments)]
    accuracies = {"ConvNet": [np.float64(0.25), np.float64(0.5)], "all": np.array([0.25, 0.5])}
    return saved({"data": data, "accs_all_exps": accuracies}, folder / f"res_{method}_DIGITS_ConvNet_2ipc.pt")


def saved(value: Any, path: Path, **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(value, path, **options)
    return path


def trajectory(folder: Path, tag: str = "_best", **parts: Any) -> Path:
    for name, value in ({"images": images(), "labels": LABELS} | parts).items():
        saved(value, folder / f"{name}{tag}.pt")
    return folder


class Foreigner:
    """Something that a pickle would call when it is read."""

    def __init__(self, call: Any, *arguments: Any) -> None:
        self.call, self.arguments = call, arguments

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.call, self.arguments


class CudaTensor:
    """Pickles as a tensor on a GPU does, on a machine that has none."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        rebuild, arguments = self.tensor.__reduce_ex__(2)[:2]  # type: ignore[no-untyped-call]
        storage = pickle.dumps(arguments[0])
        assert b"X\x03\x00\x00\x00cpu" in storage
        _, (content,) = arguments[0].__reduce__()
        moved = content.replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0")
        return rebuild, (Foreigner(torch.storage._load_from_bytes, moved), *arguments[1:])
