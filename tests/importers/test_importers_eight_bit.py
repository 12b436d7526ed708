from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign_files import INFO, LABELS, images, saved
from numpy.typing import NDArray
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import read_sets

BYTES: Tensor = images().sigmoid().mul(255).round().to(torch.uint8)
FIRST: NDArray[np.uint8] = BYTES.numpy()
LAST: NDArray[np.uint8] = BYTES.movedim(1, 3).contiguous().numpy()
GREY: NDArray[np.uint8] = BYTES[:, 0].numpy()


def npz(folder: Path, pixels: Any) -> Path:
    np.savez(folder / "set.npz", images=pixels, labels=LABELS.numpy().astype(np.uint8))
    return folder / "set.npz"


def npy(folder: Path, pixels: Any) -> Path:
    np.save(folder / "images.npy", pixels)
    np.save(folder / "labels.npy", LABELS.numpy())
    return folder / "images.npy"


def two_files(folder: Path, pixels: Any) -> Path:
    saved(torch.from_numpy(pixels), folder / "images.pt")
    saved(LABELS, folder / "labels.pt")
    return folder


def one_file(folder: Path, pixels: Any) -> Path:
    return saved((torch.from_numpy(pixels), LABELS), folder / "set.pt")


def chosen(folder: Path, pixels: Any) -> Path:
    saved(torch.from_numpy(pixels), folder / "DIGITS_IPC2_images.pt")
    saved(LABELS, folder / "DIGITS_IPC2_labels.pt")
    return folder / "DIGITS_IPC2_images.pt"


@pytest.mark.parametrize("write", [npz, npy, two_files, one_file, chosen])
@pytest.mark.parametrize("pixels", [FIRST, LAST, GREY], ids=["first", "last", "grey"])
def test_8_bit_images_are_pixels(tmp_path: Path, write: Callable[[Path, Any], Path], pixels: NDArray[np.uint8]) -> None:
    read = read_sets(write(tmp_path, pixels), INFO, "digits", ImportOptions())
    ((foreign, _),) = read.sets
    assert foreign.space == "pixels"
    assert torch.equal(foreign.images, BYTES.float() / 255)
    assert torch.equal(foreign.labels.values, LABELS)
    assert "8-bit pixels were divided by 255" in read.found


def test_packed_8_bit_images_are_pixels(tmp_path: Path) -> None:
    ((foreign, _),) = read_sets(saved((BYTES, LABELS), tmp_path / "data_best.pt"), INFO, "digits", ImportOptions()).sets
    assert torch.equal(foreign.images, BYTES.float() / 255) and foreign.decode == "grid2x2"


@pytest.mark.parametrize(
    ("pixels", "options", "words"),
    [
        (FIRST, ImportOptions(space="normalised"), "8-bit whole numbers, so they are pixels"),
        ((FIRST > 100).astype(np.uint8), ImportOptions(), "all values are 0 or 1: store them as floats"),
        (FIRST.astype(np.int32), ImportOptions(), "divide by 255 first"),
        (FIRST.astype(np.float32), ImportOptions(), "divide by 255 first"),
    ],
)
def test_what_is_not_surely_8_bit_pixels_is_refused(
    tmp_path: Path, pixels: NDArray[Any], options: ImportOptions, words: str
) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        read_sets(npz(tmp_path, pixels), INFO, "digits", options)
    assert "\n" not in str(refused.value)
