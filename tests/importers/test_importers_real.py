from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from stillproof.core.types import Hard
from stillproof.data.load import source
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import read_sets

# file, data set, format, method, experiments, images each
FILES = [
    ("res_DC_CIFAR10_ConvNet_1ipc.pt", "cifar10", "results", "DC", 1, 10),
    ("res_DC_CIFAR10_ConvNet_10ipc.pt", "cifar10", "results", "DC", 1, 100),
    ("res_DC_MNIST_ConvNet_1ipc_5exp.pt", "mnist", "results", "DC", 5, 10),
    ("dc_cifar10_10ipc.npz", "cifar10", "npz", "DC", 1, 100),
    ("dc_mnist_1ipc_5exp.npz", "mnist", "npz", "DC", 5, 10),
    ("dc_mnist_10ipc_images.npy", "mnist", "npy", "DC", 1, 100),
]


def folder() -> Path:
    found = Path(os.environ.get("STILLPROOF_DATA", ""), "distilled")
    if not found.is_dir():
        pytest.skip("STILLPROOF_DATA names no folder with a folder `distilled` of other people's sets")
    return found


@pytest.mark.parametrize(("file", "dataset", "form", "method", "experiments", "images"), FILES)
def test_files_that_others_published(
    file: str, dataset: str, form: str, method: str, experiments: int, images: int
) -> None:
    read = read_sets(folder() / file, source(dataset).info, dataset, ImportOptions())
    assert [origin.form for _, origin in read.sets] == [form] * experiments
    for foreign, _ in read.sets:
        assert foreign.method == method and foreign.space == "normalised"
        assert isinstance(foreign.labels, Hard)
        assert foreign.labels.values.bincount().tolist() == [images // 10] * 10


def test_the_same_set_in_two_formats_gives_the_same_images() -> None:
    info = source("cifar10").info
    names = ("res_DC_CIFAR10_ConvNet_10ipc.pt", "dc_cifar10_10ipc.npz")
    first, second = (read_sets(folder() / name, info, "cifar10", ImportOptions()).sets[0][0] for name in names)
    assert torch.equal(first.images, second.images)
