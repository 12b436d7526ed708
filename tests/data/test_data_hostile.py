"""Data files that mean harm, or have one flipped bit: each is read for what it is, or one sentence."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from PIL import Image

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput
from stillproof.core.file_limits import VARIABLE
from stillproof.core.open_picture import BrokenPicture
from stillproof.data import mat_files, nas_truth
from stillproof.data.idx import read_idx
from stillproof.data.mat_files import read_mat
from stillproof.data.numpy_files import read_npy, read_npz
from stillproof.data.pictures import read_picture

DRAW = np.random.default_rng(0)
IMAGES = DRAW.integers(0, 256, (32, 32, 3, 20), dtype=np.uint8)
LABELS = np.arange(1, 21, dtype=np.uint8)[:, None] % 10 + 1
CRASHES = 185, 6  # byte and bit that make the parser of scipy 1.17 crash


def mat(folder: Path, *, packed: bool = False) -> Path:
    path = folder / "train_32x32.mat"
    scipy.io.savemat(path, {"X": IMAGES, "y": LABELS}, do_compression=packed)
    return path


def flip(path: Path, place: int, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(content)


@pytest.mark.parametrize("packed", [True, False])
def test_a_matlab_file_is_read_in_another_process_as_it_was_here(tmp_path: Path, packed: bool) -> None:
    images, labels = read_mat(mat(tmp_path, packed=packed), "X", "y")
    assert np.array_equal(images, IMAGES) and np.array_equal(labels, LABELS) and images.dtype == np.uint8


def test_a_matlab_file_that_crashes_its_parser_is_one_sentence(tmp_path: Path) -> None:
    path = mat(tmp_path)
    flip(path, *CRASHES)
    code = f"import scipy.io; scipy.io.loadmat({str(path)!r}, variable_names=['X', 'y'])"
    alone = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    with pytest.raises(BadInput, match=r"its parser crashed \(SIGSEGV\)|cannot be read") as refused:
        datasets.build("svhn").load(tmp_path, "train")
    assert "\n" not in str(refused.value)
    if alone.returncode < 0:  # as it is in this version
        assert "parser crashed" in str(refused.value)


def test_no_flipped_bit_of_a_packed_matlab_file_is_taken(tmp_path: Path) -> None:
    path = mat(tmp_path, packed=True)
    whole = path.read_bytes()
    for place in DRAW.integers(128, len(whole), 6):
        path.write_bytes(whole)
        flip(path, int(place), int(place) % 8)
        with pytest.raises(BadInput, match="cannot be read as a Matlab file"):
            read_mat(path, "X", "y")


def test_a_matlab_file_has_limits_of_memory_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train_32x32.mat"
    scipy.io.savemat(path, {"X": np.zeros((32, 32, 3, 10**5), np.uint8), "y": LABELS}, do_compression=True)
    monkeypatch.setenv(VARIABLE, "0.2")  # 400 MB of addresses for an array of 307
    with pytest.raises(BadInput, match="cannot be read as a Matlab file") as refused:
        read_mat(path, "X", "y")
    assert "\n" not in str(refused.value)
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(mat_files, "time_limit", lambda size: 1.0)
    slow = tmp_path / "mat_child.py"
    slow.write_text(f"import runpy\nrunpy.run_path({str(mat_files.CHILD)!r})['main']()\nwhile True:\n    pass\n")
    monkeypatch.setattr(mat_files, "CHILD", slow)
    with pytest.raises(BadInput, match=rf"30 seconds of computing .{VARIABLE}=2 allows twice as much"):
        read_mat(path, "X", "y")


def test_nothing_of_the_working_folder_runs_in_the_other_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scipy.py").write_text("raise SystemExit('ran')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert len(read_mat(mat(tmp_path), "X", "y")) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "version 5"),
        (b"MATLAB" * 30, "version 5"),
        (b" " * 124 + b"\0\1IM" + struct.pack("<II", 14, 2**31), "cut short"),
        (b" " * 124 + b"\0\1IM" + struct.pack("<II", 15, 20) + b"x" * 20, "incorrect header check"),
        (b" " * 124 + b"\0\1IM", "has no array"),
    ],
)
def test_what_is_no_matlab_file_is_one_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "a.mat").write_bytes(content)
    with pytest.raises(BadInput, match=words):
        read_mat(tmp_path / "a.mat", "X", "y")


def bomb(folder: Path) -> Path:
    path = folder / "a.npz"
    np.savez_compressed(path, x_train=np.zeros((10**6, 28, 28), np.uint8), y_train=np.zeros(10**6, np.uint8))
    return path


def test_a_data_set_that_unpacks_to_far_more_than_it_is_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"claim to unpack to 78\d{7}"):
        read_npz(bomb(tmp_path), "x_train", "y_train")


def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = bytes((0, 0, 8, 3)) + struct.pack(">3I", 2**16, 2**10, 2)
    path = tmp_path / "train-images-idx3-ubyte.gz"
    path.write_bytes(gzip.compress(head + b"\0" * 2**27))
    monkeypatch.setenv(VARIABLE, "0.05")
    with pytest.raises(BadInput, match="unpacks to more than 100000000 bytes"):
        read_idx(path, 3)
    table = tmp_path / "nas_bench_201.csv.gz"
    table.write_bytes(gzip.compress(b"arch,cifar10_test\n" + b"\n" * 2 * 10**7))
    with pytest.raises(BadInput, match="unpacks to more than"):
        nas_truth.load_truth(table, [])


def picture(folder: Path, name: str = "a.png") -> Path:
    Image.fromarray(IMAGES[..., 0]).save(folder / name)
    return folder / name


def test_no_flipped_bit_of_a_png_is_taken(tmp_path: Path) -> None:
    path = picture(tmp_path)
    whole = path.read_bytes()
    for place in range(8, len(whole)):
        path.write_bytes(whole)
        flip(path, place, place % 8)
        with pytest.raises(BrokenPicture):
            read_picture(path, 32, 3)
    path.write_bytes(whole)
    assert np.array_equal(read_picture(path, 32, 3), IMAGES[..., 0])


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def test_a_part_of_a_png_that_unpacks_to_a_gigabyte_is_not_unpacked(tmp_path: Path) -> None:
    path = picture(tmp_path)
    whole = path.read_bytes()
    packed = zlib.compress(b"\0" * 2**28)
    text, profile = b"a\0\0" + packed, b"a\0\0" + packed
    path.write_bytes(whole[:33] + chunk(b"zTXt", text) + chunk(b"iCCP", profile) + whole[33:])
    before = peak()
    try:
        assert np.array_equal(read_picture(path, 32, 3), IMAGES[..., 0])
    except BrokenPicture as error:
        assert "\n" not in str(error)
    assert peak() - before < 2**27


def peak() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link_to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [pipe, link_to_zeros])
def test_a_picture_that_is_no_file_is_one_sentence(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "a.png")
    with pytest.raises(BrokenPicture, match=r"a\.png cannot be read as a picture: it is no regular file"):
        read_picture(tmp_path / "a.png", 32, 3)


def test_a_header_of_brackets_is_refused(tmp_path: Path) -> None:
    header = b"(" * 9000
    content = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(BadInput, match=r"a\.npy is cut short, damaged or no array of numbers"):
        read_npy(tmp_path / "a.npy")
