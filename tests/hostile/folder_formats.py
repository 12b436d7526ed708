"""Data sets of many small files, and the lists and tables that come with them."""

from __future__ import annotations

import gzip
import importlib
import math
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
from data_formats import BATCHES, ROWS, by_pillow, chunks, data_set, picture, plain, png
from formats import Format, Pieces

from stillproof.core.components import datasets
from stillproof.data.hpo_bench_truth import PACKAGE, load_hpo_bench_truth
from stillproof.data.hpo_bench_truth import TABLE as HPO_TABLE
from stillproof.data.imagenet_subsets import SUBSETS
from stillproof.data.nas_truth import load_truth
from stillproof.data.pickled_dict import read_pickled_dict
from stillproof.data.pictures import read_picture

DRAW = np.random.default_rng(1)
WIDE = DRAW.integers(0, 256, (10, 64, 64, 3), dtype=np.uint8)
TINY, LIST = "tiny-imagenet-200", "tiny-imagenet-200/val/val_annotations.txt"
WNIDS = [f"n{number:08}" for number in range(200)]


def tiny_files() -> Pieces:
    """Return the validation part; the classes of the training part are only named."""
    listed = "".join(f"val_{n}.JPEG\t{WNIDS[n * 7]}\t0\t0\t62\t62\n" for n in range(10))
    pictures = {f"{TINY}/val/images/val_{n}.JPEG": picture(WIDE[n], "JPEG") for n in range(10)}
    return {LIST: listed.encode(), **pictures, **{f"{TINY}/train/{wnid}/images/none": b"" for wnid in WNIDS}}


def tiny(folder: Path) -> Any:
    found = datasets.build("tiny_imagenet").load(folder, "test")
    return found.images, found.labels


def our_list(folder: Path) -> Any:
    images, labels = tiny(folder)
    return [[int(label), image.permute(1, 2, 0).numpy()] for image, label in zip(images, labels, strict=True)]


def by_tabs(folder: Path) -> Any:
    lines = (folder / LIST).read_text(encoding="utf-8", errors="replace").splitlines()
    named = [line.split("\t")[:2] for line in lines]
    return [[WNIDS.index(wnid), by_pillow(folder / TINY / "val" / "images" / name, 3, 64)] for name, wnid in named]


def imagenet_files() -> Pieces:
    return {
        f"imagenet/{part}/{wnid}/{wnid}.png": picture(WIDE[n, :16, :16], "PNG")
        for part in ("train", "val")
        for n, wnid in enumerate(SUBSETS["imagenette"])
    }


def imagenet(folder: Path) -> Any:
    found = datasets.build("imagenette", {"size": 16}).load(folder, "train")
    return np.array(found.images), found.labels


IMAGENET = f"imagenet/train/{list(SUBSETS['imagenette'])[3]}/{list(SUBSETS['imagenette'])[3]}.png"
HPO = f"{PACKAGE}/{HPO_TABLE}"
ACCURACIES = {f"00000{n}": {"val_acc": [90.5 + n, 91.5], "name": "x"} for n in range(3)}


def hpo(folder: Path) -> Any:
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        return dict(load_hpo_bench_truth(list(ACCURACIES)).accuracy)
    finally:
        sys.path.remove(str(folder))


def hpo_files() -> Pieces:
    return {HPO: pickle.dumps(ACCURACIES), f"{PACKAGE}/__init__.py": b"import os; os.system('true')\n"}


def means(found: Any, theirs: Any) -> str:
    true = {key: sum(one["val_acc"]) / len(one["val_acc"]) / 100 for key, one in theirs.items()}
    same = found.keys() == true.keys() and all(math.isclose(one, true[key]) for key, one in found.items())
    return "" if same else f"{found} instead of {true}"


def our_ten(folder: Path) -> Any:
    found = datasets.build("cifar10").load(folder, "train")
    return [bytes([label]) + image.numpy().tobytes() for label, image in zip(found.labels, found.images, strict=True)]


def by_records(folder: Path) -> Any:
    content = b"".join((folder / f"cifar-10-batches-bin/data_batch_{n}.bin").read_bytes() for n in range(1, 6))
    return [content[at : at + 3073] for at in range(0, len(content), 3073)]


ARCHITECTURES = [f"|nor_conv_3x3~0|+|none~0|none~1|+|skip_connect~{n}|none~1|none~2|" for n in range(3)]
TABLE = b"arch,cifar10_test\n" + b"".join(f"{one},9{n}.5\n".encode() for n, one in enumerate(ARCHITECTURES))


def table(folder: Path) -> Any:
    return dict(load_truth(folder, ARCHITECTURES).accuracy)


def by_lines(content: bytes) -> Any:
    text = content.decode("utf-8-sig")
    head, *rows = [line.replace('"', "").split(",") for line in text.splitlines() if line]
    places = [head.index(name) for name in ("arch", "cifar10_test")]
    return {row[places[0]]: float(row[places[1]]) / 100 for row in rows}


FOLDER_FORMATS = [
    Format("tiny-imagenet's list", LIST, tiny_files, tiny, our_list, by_tabs, share=0.2),
    Format(
        "imagenet's pictures",
        IMAGENET,
        imagenet_files,
        imagenet,
        lambda folder: read_picture(folder / IMAGENET, 16, 3),
        lambda folder: by_pillow(folder / IMAGENET, 3, 16),
        True,
        chunks,
        png,
        0.5,
    ),
    Format(
        "hpo-bench",
        HPO,
        hpo_files,
        hpo,
        lambda folder: read_pickled_dict(folder / HPO),
        lambda folder: plain(pickle.loads((folder / HPO).read_bytes())),
        meant=means,
    ),
    Format(
        "nas-bench-201",
        "nas_bench_201.csv.gz",
        lambda: {"nas_bench_201.csv.gz": gzip.compress(TABLE)},
        table,
        table,
        lambda folder: by_lines(gzip.decompress((folder / "nas_bench_201.csv.gz").read_bytes())),
        True,
        lambda packed: {"table": gzip.decompress(packed)},
        lambda pieces: gzip.compress(pieces["table"]),
    ),
    Format(
        "nas-bench-201, plain",
        "nas_bench_201.csv",
        lambda: {"nas_bench_201.csv": TABLE},
        table,
        table,
        lambda folder: by_lines((folder / "nas_bench_201.csv").read_bytes()),
    ),
    Format(
        "cifar-10",
        "cifar-10-batches-bin/data_batch_1.bin",
        lambda: {**BATCHES, "cifar-10-batches-bin/data_batch_1.bin": b"\0" + ROWS[0].tobytes()},
        data_set("cifar10"),
        our_ten,
        by_records,
    ),
]
