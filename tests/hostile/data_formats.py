"""Data sets as they are published, and pictures."""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import torch
from formats import Format, Pieces
from PIL import Image
from set_formats import INFO, npz_format

from stillproof.core.components import datasets
from stillproof.data.idx import read_idx
from stillproof.data.mat_files import read_mat
from stillproof.data.pickled_dict import read_pickled_dict
from stillproof.data.pictures import read_picture
from stillproof.importers.image_folders import ANY
from stillproof.importers.mad_folder import find_attacks, read_attack

DRAW = np.random.default_rng(0)
LABELS = np.arange(10).repeat(2)
GREY = DRAW.integers(0, 256, (20, 28, 28), dtype=np.uint8)
COLOUR = DRAW.integers(0, 256, (20, 32, 32, 3), dtype=np.uint8)
ROWS = COLOUR.transpose(0, 3, 1, 2).reshape(20, -1)


def idx(values: Any) -> bytes:
    content: bytes = values.tobytes()
    return bytes((0, 0, 8, values.ndim)) + struct.pack(f">{values.ndim}I", *values.shape) + content


def data_set(name: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        found = datasets.build(name).load(folder, "train")
        return found.images, found.labels

    return read


def same_pixels(found: Any, theirs: Any) -> str:
    """Say whether the images of a data set are others than those of an idx file."""
    return "" if (found[0][:, 0].numpy() == theirs).all() else "the images are others"


def same_classes(found: Any, theirs: Any) -> str:
    return "" if (found[1].numpy() == theirs).all() else "the labels are others"


def same_numbers(found: Any, theirs: Any) -> str:
    """Compare a data set with the arrays of SVHN's files, where 0 is written as 10."""
    labels = [int(one) if one != 10 else 0 for one in theirs[1].reshape(-1)]
    moved = theirs[0].transpose(3, 2, 0, 1)
    return "" if found[1].tolist() == labels and (found[0].numpy() == moved).all() else "images or labels are others"


def same_batch(found: Any, theirs: Any) -> str:
    """Compare the first images of CIFAR-10 with those of its first file."""
    rows, labels = theirs["data"], theirs["labels"]
    images = found[0][: len(rows)].numpy().reshape(len(rows), -1)
    return "" if (images == rows).all() and found[1][: len(rows)].tolist() == labels else "images or labels are others"


def same_arrays(found: Any, theirs: Any) -> str:
    return same_pixels(found, theirs["x_train"].reshape(-1, 28, 28)) or same_classes(found, theirs["y_train"].ravel())


def by_idx(content: bytes) -> Any:
    axes = content[3]
    return np.array(memoryview(content)[4 + 4 * axes :]).reshape(struct.unpack_from(f">{axes}I", content, 4))


def gzip_format(name: str, target: str, others: Pieces, content: bytes, axes: int) -> Format:
    return Format(
        name,
        target,
        lambda: {target: gzip.compress(content), **others},
        data_set("mnist"),
        lambda folder: read_idx(folder / target, axes),
        lambda folder: by_idx(gzip.decompress((folder / target).read_bytes())),
        True,
        lambda packed: {"values": gzip.decompress(packed)},
        lambda pieces: gzip.compress(pieces["values"]),
        meant=same_pixels if axes == 3 else same_classes,
    )


def mat(packed: bool) -> bytes:
    buffer = io.BytesIO()
    labels = np.where(LABELS == 0, 10, LABELS).astype(np.uint8)[:, None]
    scipy.io.savemat(buffer, {"X": COLOUR.transpose(1, 2, 3, 0), "y": labels}, do_compression=packed)
    return buffer.getvalue()


def mat_parts(content: bytes) -> Pieces:
    parts, at = {"head": content[:128]}, 128
    while at < len(content):
        (size,) = struct.unpack_from("<I", content, at + 4)
        parts[str(at)] = zlib.decompress(content[at + 8 : at + 8 + size])
        at += 8 + size
    return parts


def mat_whole(parts: Pieces) -> bytes:
    packed = [zlib.compress(part) for name, part in parts.items() if name != "head"]
    return parts["head"] + b"".join(struct.pack("<II", 15, len(one)) + one for one in packed)


def by_scipy(folder: Path) -> Any:
    content = scipy.io.loadmat(str(folder / TRAIN), variable_names=["X", "y"])
    return [content["X"], content["y"]]


TRAIN = "train_32x32.mat"


def mat_format(name: str, packed: bool, share: float) -> Format:
    return Format(
        name,
        TRAIN,
        lambda: {TRAIN: mat(packed)},
        data_set("svhn"),
        lambda folder: read_mat(folder / TRAIN, "X", "y"),
        by_scipy,
        packed,
        mat_parts if packed else None,
        mat_whole if packed else None,
        share,
        meant=same_numbers,
    )


def by_record(path: Path, label_bytes: int) -> Any:
    content = path.read_bytes()
    step = label_bytes + ROWS.shape[1]
    return [(content[at : at + step]) for at in range(0, len(content), step)]


def our_records(path: Path, label_bytes: int) -> Any:
    found = datasets.build("cifar100" if label_bytes == 2 else "cifar10").load(path.parents[1], "train")
    labels, rows = found.labels.numpy(), found.images.numpy().reshape(len(found.labels), -1)
    coarse = [path.read_bytes()[at : at + 1] for at in range(0, path.stat().st_size, 2 + ROWS.shape[1])]
    heads = coarse if label_bytes == 2 else [b""] * len(labels)
    return [head + bytes([label]) + row.tobytes() for head, label, row in zip(heads, labels, rows, strict=True)]


def cifar100() -> bytes:
    labels = LABELS.astype(np.uint8)[:, None]
    return np.concatenate([labels, labels, ROWS], axis=1).tobytes()


def pickled(content: dict[Any, Any]) -> bytes:
    return pickle.dumps(content, protocol=2)


def texts(value: Any) -> Any:
    """Return a pickled dictionary with its keys as texts, and tuples as lists."""
    return {key.decode("latin1") if isinstance(key, bytes) else str(key): plain(inner) for key, inner in value.items()}


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def picture(values: Any, form: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(values).save(buffer, form, **({"quality": 95} if form == "JPEG" else {}))
    return buffer.getvalue()


def chunks(content: bytes) -> Pieces:
    parts, at = {"signature": content[:8]}, 8
    while at < len(content):
        (length,) = struct.unpack_from(">I", content, at)
        kind, inner = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        parts[f"{at} {kind.decode()}"] = zlib.decompress(inner) if kind == b"IDAT" else inner
        at += 12 + length
    return parts


def png(parts: Pieces) -> bytes:
    whole = parts["signature"]
    for name, inner in parts.items():
        if name != "signature":
            kind = name.split()[1].encode()
            inner = zlib.compress(inner) if kind == b"IDAT" else inner
            whole += struct.pack(">I", len(inner)) + kind + inner + struct.pack(">I", zlib.crc32(kind + inner))
    return whole


def by_pillow(path: Path, channels: int, size: int) -> Any:
    """Return a picture, and of one that is no square of that size the middle, as large as it can be."""
    with Image.open(path) as found:
        plain = found.convert("L" if channels == 1 else "RGB")
    larger = [max(size, int(one * (size / min(plain.size)))) for one in plain.size]
    resized = plain if min(plain.size) == size else plain.resize((larger[0], larger[1]), Image.Resampling.BILINEAR)
    left, top = ((one - size) // 2 for one in resized.size)
    return np.asarray(resized.crop((left, top, left + size, top + size)))


SMALL = DRAW.integers(0, 256, (10, 8, 8), dtype=np.uint8)


def class_folders(ending: str, form: str) -> Callable[[], Pieces]:
    return lambda: {f"{n}/{n}.{ending}": picture(SMALL[n], form) for n in range(10)}


def mad_folder(folder: Path) -> Any:
    attacks, strange = find_attacks(folder, INFO)
    return strange, [read_attack(one, INFO) for one in attacks]


def mad_files() -> Pieces:
    return {f"0/{part}/{n}/{n}_0.png": picture(SMALL[n], "PNG") for part in ("train", "test") for n in range(3)}


def own_pictures(folder: Path) -> Any:
    found = datasets.build("image_folder", {"path": str(folder), "size": 32}).load(folder, "train")
    return found.images, found.labels


def own_files(ending: str, form: str) -> Callable[[], Pieces]:
    names = [(part, kind, n) for part in ("train", "test") for kind in range(2) for n in range(2)]
    return lambda: {f"{part}/{kind}/{n}.{ending}": picture(COLOUR[2 * kind + n], form) for part, kind, n in names}


def third(found: Any, theirs: Any) -> str:
    """Say whether one picture of a set is another than that of its file."""
    image = found[0].images[3]
    levels = image if image.dtype == torch.uint8 else (image * 255).round()
    return "" if (levels.squeeze().numpy() == theirs).all() else "the picture is another"


def own(found: Any, theirs: Any) -> str:
    return "" if (found[0][2].permute(1, 2, 0).numpy() == theirs).all() else "the picture is another"


def picture_format(
    name: str,
    target: str,
    files: Callable[[], Pieces],
    read: Callable[[Path], Any],
    meant: Callable[[Any, Any], str] = lambda found, theirs: "",
) -> Format:
    size, channels = (32, 3) if name.startswith("own") else (8, 1)
    packed = target.endswith(".png")

    def ours(folder: Path) -> Any:
        return np.squeeze(read_picture(folder / target, size, channels))

    return Format(
        name,
        target,
        files,
        read,
        ours,
        lambda folder: by_pillow(folder / target, channels, size),
        # A picture of many that is refused by itself is left out, and the others stay what they are.
        packed and not name.startswith("mad"),
        chunks if packed else None,
        png if packed else None,
        2,
        meant=meant,
    )


MNIST_LABELS = {"mnist/train-labels-idx1-ubyte": idx(LABELS.astype(np.uint8))}
MNIST_IMAGES = {"mnist/train-images-idx3-ubyte": idx(GREY)}
BATCHES = {f"cifar-10-batches-bin/data_batch_{n}.bin": b"\0" + ROWS[n].tobytes() for n in range(2, 6)}
PICKLED = {
    f"cifar-10-batches-py/data_batch_{n}": pickled({b"labels": [n], b"data": ROWS[n : n + 1]}) for n in range(2, 6)
}

DATA_FORMATS = [
    Format(
        "idx",
        "mnist/train-images-idx3-ubyte",
        lambda: MNIST_IMAGES | MNIST_LABELS,
        data_set("mnist"),
        lambda folder: read_idx(folder / "mnist/train-images-idx3-ubyte", 3),
        lambda folder: by_idx((folder / "mnist/train-images-idx3-ubyte").read_bytes()),
        meant=same_pixels,
    ),
    gzip_format("idx, packed", "mnist/train-images-idx3-ubyte.gz", MNIST_LABELS, idx(GREY), 3),
    gzip_format(
        "idx of labels, packed", "mnist/train-labels-idx1-ubyte.gz", MNIST_IMAGES, idx(LABELS.astype(np.uint8)), 1
    ),
    Format(
        "cifar-100",
        "cifar-100-binary/train.bin",
        lambda: {"cifar-100-binary/train.bin": cifar100()},
        data_set("cifar100"),
        lambda folder: our_records(folder / "cifar-100-binary/train.bin", 2),
        lambda folder: by_record(folder / "cifar-100-binary/train.bin", 2),
    ),
    Format(
        "cifar-10, pickled",
        "cifar-10-batches-py/data_batch_1",
        lambda: {**PICKLED, "cifar-10-batches-py/data_batch_1": pickled({b"labels": [1, 2], b"data": ROWS[:2]})},
        data_set("cifar10"),
        lambda folder: read_pickled_dict(folder / "cifar-10-batches-py/data_batch_1"),
        lambda folder: texts(
            pickle.loads((folder / "cifar-10-batches-py/data_batch_1").read_bytes(), encoding="bytes")
        ),
        meant=same_batch,
    ),
    mat_format("svhn", False, 0.1),
    mat_format("svhn, packed", True, 0.07),
    picture_format("png set", "3/3.png", class_folders("png", "PNG"), lambda folder: ANY.read(folder, INFO), third),
    picture_format("jpeg set", "3/3.jpg", class_folders("jpg", "JPEG"), lambda folder: ANY.read(folder, INFO), third),
    picture_format("mad pictures", "0/train/1/1_0.png", mad_files, mad_folder),
    picture_format("own png", "train/1/0.png", own_files("png", "PNG"), own_pictures, own),
    picture_format("own jpeg", "train/1/0.jpg", own_files("jpg", "JPEG"), own_pictures, own),
]
MNIST = npz_format(
    "mnist.npz", "mnist.npz", x_train=GREY, y_train=LABELS.astype(np.uint8), x_test=GREY[:10], y_test=LABELS[:10]
)
DATA_FORMATS.append(Format(**{**vars(MNIST), "read": data_set("mnist"), "meant": same_arrays, "cache": {}}))
