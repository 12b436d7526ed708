from __future__ import annotations

import gzip
import io
import logging
import os
import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from numpy.typing import NDArray

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.types import ImageSet
from stillproof.data.content import KNOWN, content_id

Bytes = NDArray[np.uint8]
Labels = NDArray[np.int64]
N = 20


def sample(size: int, channels: int, classes: int, salt: int = 0) -> tuple[Bytes, Labels]:
    rng = np.random.default_rng(size + channels + salt)
    images = rng.integers(0, 256, (N, size, size, channels), dtype=np.uint8)
    return images, rng.permutation(np.arange(N) * (classes - 1) // (N - 1)).astype(np.int64)


def load(name: str, root: Path, split: str = "train") -> ImageSet:
    return datasets.build(name).load(root, "train" if split == "train" else "test")


def write_npz(path: Path, images: Bytes, labels: Labels) -> None:
    np.savez(path, x_train=images, y_train=labels, x_test=images[:10], y_test=labels[:10])


def idx(array: NDArray[np.integer]) -> bytes:
    return (
        bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape) + array.astype(np.uint8).tobytes()
    )


def write_mnist(root: Path, images: Bytes, labels: Labels, folder: str = "mnist", compress: bool = False) -> None:
    (root / folder).mkdir(parents=True)
    for prefix, part in (("train", slice(None)), ("t10k", slice(10))):
        for kind, content in (("images-idx3", idx(images[part, :, :, 0])), ("labels-idx1", idx(labels[part]))):
            path = root / folder / f"{prefix}-{kind}-ubyte"
            if compress:
                path.with_name(path.name + ".gz").write_bytes(gzip.compress(content))
            else:
                path.write_bytes(content)


def rows(images: Bytes) -> Bytes:
    return images.transpose(0, 3, 1, 2).reshape(len(images), -1)


def write_cifar_binary(root: Path, images: Bytes, labels: Labels) -> None:
    folder = root / "cifar-10-batches-bin"
    folder.mkdir()
    records = np.concatenate([labels[:, None].astype(np.uint8), rows(images)], axis=1)
    for i in range(5):
        (folder / f"data_batch_{i + 1}.bin").write_bytes(records[i * 4 : i * 4 + 4].tobytes())
    (folder / "test_batch.bin").write_bytes(records[:10].tobytes())


def old_pickle(content: dict[bytes, object]) -> bytes:
    """Pickle as numpy 1 did; protocol 2, as the official files have it."""
    return pickle.dumps(content, protocol=2).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")


def write_cifar_pickled(
    root: Path, images: Bytes, labels: Labels, dump: Callable[[dict[bytes, object]], bytes]
) -> None:
    folder = root / "cifar-10-batches-py"
    folder.mkdir()
    for i in range(5):
        part = slice(i * 4, i * 4 + 4)
        content: dict[bytes, object] = {
            b"batch_label": b"x",
            b"labels": labels[part].tolist(),
            b"data": rows(images[part]),
        }
        (folder / f"data_batch_{i + 1}").write_bytes(dump(content))
    (folder / "test_batch").write_bytes(dump({b"labels": labels[:10].tolist(), b"data": rows(images[:10])}))


def write_cifar100_binary(root: Path, images: Bytes, labels: Labels) -> None:
    (root / "cifar-100-binary").mkdir()
    coarse = np.full((N, 1), 19, np.uint8)
    records = np.concatenate([coarse, labels[:, None].astype(np.uint8), rows(images)], axis=1)
    (root / "cifar-100-binary" / "train.bin").write_bytes(records.tobytes())
    (root / "cifar-100-binary" / "test.bin").write_bytes(records[:10].tobytes())


def write_cifar100_pickled(root: Path, images: Bytes, labels: Labels) -> None:
    (root / "cifar-100-python").mkdir()
    for split, part in (("train", slice(None)), ("test", slice(10))):
        content = {"fine_labels": labels[part].tolist(), "coarse_labels": [0] * N, "data": rows(images[part])}
        (root / "cifar-100-python" / split).write_bytes(pickle.dumps(content, protocol=2))


def write_svhn(root: Path, images: Bytes, labels: Labels) -> None:
    for split, part in (("train", slice(None)), ("test", slice(10))):
        y = np.where(labels[part] == 0, 10, labels[part])[:, None].astype(np.uint8)
        scipy.io.savemat(root / f"{split}_32x32.mat", {"X": images[part].transpose(1, 2, 3, 0), "y": y})


OFFICIAL: dict[str, tuple[str, Callable[[Path, Bytes, Labels], None]]] = {
    "mnist idx": ("mnist", write_mnist),
    "mnist gz": ("mnist", lambda r, x, y: write_mnist(r, x, y, compress=True)),
    "mnist torchvision": ("mnist", lambda r, x, y: write_mnist(r, x, y, "MNIST/raw")),
    "fashion idx": ("fashion_mnist", lambda r, x, y: write_mnist(r, x, y, "fashion_mnist/raw")),
    "fashion torchvision": ("fashion_mnist", lambda r, x, y: write_mnist(r, x, y, "FashionMNIST/raw", True)),
    "cifar10 binary": ("cifar10", write_cifar_binary),
    "cifar10 pickled": ("cifar10", lambda r, x, y: write_cifar_pickled(r, x, y, old_pickle)),
    "cifar10 new numpy": ("cifar10", lambda r, x, y: write_cifar_pickled(r, x, y, lambda c: pickle.dumps(c, 2))),
    "cifar100 binary": ("cifar100", write_cifar100_binary),
    "cifar100 pickled": ("cifar100", write_cifar100_pickled),
    "svhn": ("svhn", write_svhn),
}


@pytest.mark.parametrize("form", OFFICIAL)
def test_official_form_and_npz_are_the_same_data(form: str, tmp_path: Path) -> None:
    name, write = OFFICIAL[form]
    info = datasets.build(name).info
    images, labels = sample(info.size, info.channels, info.num_classes)
    official, plain = tmp_path / "official", tmp_path / "plain"
    official.mkdir()
    plain.mkdir()
    write(official, images, labels)
    write_npz(plain / f"{name}.npz", images, labels)
    for split, count in (("train", N), ("test", 10)):
        one, other = load(name, official, split), load(name, plain, split)
        assert (
            one.id
            == other.id
            == content_id(name, "train" if split == "train" else "test", images[:count], labels[:count])
        )
        assert one.images.shape == (count, info.channels, info.size, info.size)
        assert one.images.is_contiguous() and one.images.dtype.is_signed is False
        np.testing.assert_array_equal(one.images.permute(0, 2, 3, 1).numpy(), images[:count])
        assert one.labels.tolist() == labels[:count].tolist()


@pytest.mark.parametrize("form", OFFICIAL)
def test_truncated_official_file_is_refused_with_its_path(form: str, tmp_path: Path) -> None:
    name, write = OFFICIAL[form]
    info = datasets.build(name).info
    write(tmp_path, *sample(info.size, info.channels, info.num_classes))
    for path in sorted(p for p in tmp_path.rglob("*") if p.is_file()):
        path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(BadInput, match=r"train|batch"):
        load(name, tmp_path)


def test_broken_npz_is_refused(tmp_path: Path) -> None:
    images, labels = sample(28, 1, 10)
    path = tmp_path / "mnist.npz"
    for content in (b"", b"not a zip", b"PK\x03\x04 nonsense"):
        path.write_bytes(content)
        with pytest.raises(BadInput, match=r"mnist\.npz"):
            load("mnist", tmp_path)
    write_npz(path, images, labels)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match=r"mnist\.npz"):
        load("mnist", tmp_path)
    damaged = bytearray(whole)
    damaged[2000] ^= 255
    path.write_bytes(damaged)
    with pytest.raises(BadInput, match=r"mnist\.npz"):
        load("mnist", tmp_path)
    np.savez(path, x_train=images)
    with pytest.raises(BadInput, match="y_train"):
        load("mnist", tmp_path)


def test_pickled_objects_in_npz_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "mnist.npz", x_train=np.array([{}], dtype=object), y_train=np.zeros(1, np.int64))
    with pytest.raises(BadInput, match=r"mnist\.npz"):
        load("mnist", tmp_path)


@pytest.mark.parametrize(
    ("images", "labels", "said"),
    [
        (np.zeros((3, 28, 28, 1), np.uint8), np.array([0, 1]), "3 images"),
        (np.zeros((3, 28, 28, 1), np.uint8), np.array([0, 1, 10]), "label 10"),
        (np.zeros((3, 28, 28, 1), np.uint8), np.array([0, -1, 1]), "label -1"),
        (np.zeros((3, 28, 28, 1), np.uint8), np.array([0.0, 1.0, 2.0]), "float64"),
        (np.zeros((3, 28, 28, 1), np.float32), np.array([0, 1, 2]), "float32"),
        (np.zeros((3, 32, 32, 1), np.uint8), np.array([0, 1, 2]), "32, 32"),
        (np.zeros((0, 28, 28, 1), np.uint8), np.array([], np.int64), "0 images"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(images: Bytes, labels: Labels, said: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "mnist.npz", x_train=images, y_train=labels)
    with pytest.raises(BadInput, match=said):
        load("mnist", tmp_path)


def test_keras_layout_of_npz_is_read(tmp_path: Path) -> None:
    images, labels = sample(28, 1, 10)
    write_npz(tmp_path / "mnist.npz", images, labels)
    expected = load("mnist", tmp_path).id
    np.savez(tmp_path / "mnist.npz", x_train=images[..., 0], y_train=labels[:, None].astype(np.uint8))
    assert load("mnist", tmp_path).id == expected


@pytest.mark.parametrize("name", ["mnist", "fashion_mnist", "cifar10", "cifar100", "svhn", "tiny_imagenet"])
def test_missing_data_says_how_to_get_it(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=f"stillproof data get {name}") as caught:
        load(name, tmp_path)
    assert caught.value.exit_code == 3


def test_half_of_a_pair_is_missing_not_broken(tmp_path: Path) -> None:
    write_mnist(tmp_path, *sample(28, 1, 10))
    (tmp_path / "mnist" / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(DataMissing):
        load("mnist", tmp_path)


def test_foreign_content_is_accepted_and_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_npz(tmp_path / "mnist.npz", *sample(28, 1, 10, salt=77))
    with caplog.at_level(logging.WARNING, "stillproof"):
        first, second = load("mnist", tmp_path), load("mnist", tmp_path)
    assert first.id == second.id and first.id.partition(":")[2] != KNOWN["mnist/train"]
    assert [r.getMessage() for r in caplog.records if first.id in r.getMessage()] == [caplog.records[0].getMessage()]


def test_id_covers_pixels_labels_and_any_layout() -> None:
    images, labels = sample(32, 3, 10)
    own = content_id("cifar10", "train", images, labels)
    assert own == content_id("cifar10", "train", np.asfortranarray(images), labels.astype(np.uint8))
    changed = images.copy()
    changed[3, 2, 1, 0] ^= 1
    assert own != content_id("cifar10", "train", changed, labels)
    assert own != content_id("cifar10", "train", images, np.roll(labels, 1))


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_malicious_pickle_is_refused_without_running(protocol: int, tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return os.mkdir, (str(tmp_path / "ran"),)

    write_cifar_pickled(tmp_path, *sample(32, 3, 10), dump=lambda c: pickle.dumps({**c, b"extra": Evil()}, protocol))
    with pytest.raises(BadInput, match=r"refused: it asks for (posix|nt)\.mkdir"):
        load("cifar10", tmp_path)
    assert not (tmp_path / "ran").exists()
    pickle.loads((tmp_path / "cifar-10-batches-py" / "test_batch").read_bytes())
    assert (tmp_path / "ran").exists()  # the ordinary unpickler would have run it


def test_pickle_cannot_forge_an_object_array(tmp_path: Path) -> None:
    class Forged:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return np.ndarray, ((1,), np.dtype(object), b"\1" * 8)

    write_cifar_pickled(tmp_path, *sample(32, 3, 10), dump=lambda c: pickle.dumps({**c, b"data": Forged()}, 2))
    with pytest.raises(BadInput, match="O8"):
        load("cifar10", tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"\x80\x02", b"junk", pickle.dumps([1, 2], 2), pickle.dumps({b"labels": [1]}, 2)]
)
def test_broken_pickle_is_refused(content: bytes, tmp_path: Path) -> None:
    write_cifar_pickled(tmp_path, *sample(32, 3, 10), dump=lambda _: content)
    with pytest.raises(BadInput, match="data_batch_1"):
        load("cifar10", tmp_path)


def test_pickle_of_other_types_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pickle.dump({b"labels": [0], b"data": np.zeros((1, 3072), np.float32)}, buffer, 2)
    write_cifar_pickled(tmp_path, *sample(32, 3, 10), dump=lambda _: buffer.getvalue())
    with pytest.raises(BadInput, match="f4"):
        load("cifar10", tmp_path)


def test_importing_the_data_modules_does_not_import_torch() -> None:
    modules = "cifar digits fashion_mnist fetch image_folder imagenet load mnist svhn tiny_imagenet".split()  # noqa: SIM905
    code = f"import sys, {', '.join('stillproof.data.' + m for m in modules)}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
