"""What safety costs where files of others are read, against the readers that believe them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
import scipy.io
import torch

from benchmarks.line import Line
from benchmarks.turns import seconds
from stillproof.data import numpy_files
from stillproof.data.load import source
from stillproof.data.mat_files import read_mat
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import read_sets
from stillproof.importers.torch_file import load_torch

REPEATS = 15
NUMBERS = 5_000  # images of a Matlab file


def import_lines() -> Iterator[Line]:
    """Measure files that this makes of noise, each with and without looking at what it asks for."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # what is measured is short, and waking others takes as long
    with tempfile.TemporaryDirectory() as folder:
        for ipc in (10, 50):
            yield from _results(Path(folder), ipc)
        yield _arrays(Path(folder))
        yield _matlab(Path(folder))
    torch.set_num_threads(threads)


def _results(folder: Path, ipc: int) -> Iterator[Line]:
    path = folder / f"res_DC_CIFAR10_ConvNet_{ipc}ipc.pt"
    torch.save({"data": [[torch.randn(10 * ipc, 3, 32, 32), torch.arange(10).repeat_interleave(ipc)]]}, path)
    info = source("cifar10").info

    def believed() -> None:
        torch.load(path, weights_only=True)

    def guarded() -> None:
        os.utime(path)  # or it is remembered
        load_torch(path)

    def imported() -> None:
        os.utime(path)
        read_sets(path, info, "cifar10", ImportOptions())

    yield _line(f"reading a .pt of {ipc} images per class", guarded, believed, "torch.load")
    yield _line(f"the same, recognised, checked and labelled as a set ({ipc})", imported, believed, "torch.load")


def _arrays(folder: Path) -> Line:
    pair = [folder / f"{name}.npy" for name in ("images", "labels")]
    for path, values in zip(pair, (torch.randn(100, 3, 32, 32), torch.arange(10).repeat(10)), strict=True):
        np.save(path, values.numpy())

    def believed() -> None:
        for path in pair:
            np.load(path)

    def guarded() -> None:
        for path in pair:
            numpy_files.read_npy(path)

    return _line("reading two .npy of 10 images per class", guarded, believed, "numpy.load")


def _matlab(folder: Path) -> Line:
    path = folder / "numbers.mat"
    pixels = torch.randint(0, 256, (32, 32, 3, NUMBERS), dtype=torch.uint8).numpy()
    scipy.io.savemat(path, {"X": pixels, "y": np.ones((NUMBERS, 1), np.uint8)}, do_compression=True)

    def believed() -> None:
        scipy.io.loadmat(path)

    def guarded() -> None:
        read_mat(path, "X", "y")

    what = f"reading a .mat of {NUMBERS:,} images in a process of its own"
    return _line(what, guarded, believed, "scipy.io.loadmat")


def _line(what: str, ours: Callable[[], None], theirs: Callable[[], None], called: str) -> Line:
    """Take turns, so that other load on the machine falls on both alike; the first turn of each does not count."""
    turns = [(seconds(ours), seconds(theirs)) for _ in range(REPEATS + 1)][1:]
    ratio = median(one / other for one, other in turns)
    mine, other = (1000 * median(column) for column in zip(*turns, strict=True))
    return Line(what, ratio, "x", f"{mine:.1f} ms, {called} alone {other:.1f} ms; medians of {REPEATS} turns")
