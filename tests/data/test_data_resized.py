from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput, Corrupt, DataMissing, StoreError
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data import mapped_cache, resized
from stillproof.data.load import load as load_reference
from stillproof.data.load import source
from stillproof.testing.check_dataset import check_dataset

SMALL_MNIST = "resized:of=digits:size=32:channels=3"
# Pillow resizes in whole numbers, so that these are the same on every machine.
DIGITS_ID = "digits/test@sha256:046cff6d107922c87a1d4c26344799b59707edba865fc48b245b146dd7900a5d"
MNIST_ID = "mnist/test@sha256:c6bb1db7d6f00e47df495cd973c0cee0c602bf9ccb1a07b705272d1486e22b17"


def load(reference: str, root: Path) -> ImageSet:
    """Read anew what ``load_reference`` would keep."""
    return source(reference).load(root, "test")


def by_pillow(images: torch.Tensor, size: int, mode: str) -> torch.Tensor:
    """Resize as torchvision's Resize does: whole pictures, channels last."""
    pictures = [Image.fromarray(image.permute(1, 2, 0).squeeze(2).numpy()).convert(mode) for image in images]
    made = [np.asarray(picture.resize((size, size), Image.Resampling.BILINEAR)) for picture in pictures]
    return torch.from_numpy(np.stack(made)).reshape(len(images), size, size, -1).permute(0, 3, 1, 2)


def write_noise(root: Path, salt: int = 0) -> Path:
    rng = np.random.default_rng(salt)
    images, labels = rng.integers(0, 256, (20, 32, 32, 3), np.uint8), np.arange(20) // 2
    np.savez(root / "cifar10.npz", x_train=images, y_train=labels, x_test=images[:10], y_test=labels[:10])
    return root


@given(old=st.integers(1, 40), size=st.integers(1, 64))
def test_images_of_any_size_are_resized_as_pillow_does(old: int, size: int) -> None:
    noise = np.random.default_rng(old).integers(0, 256, (2, 3, old, old), np.uint8)
    assert torch.equal(torch.from_numpy(resized._resized(noise, size)), by_pillow(torch.from_numpy(noise), size, "RGB"))


@pytest.mark.parametrize("size", [5, 32])
def test_grey_is_resized_as_pillow_does_whatever_the_order(size: int) -> None:
    base = load("digits", Path())
    grey = load(f"resized:of=digits:size={size}", Path())
    assert torch.equal(grey.images[:20], by_pillow(base.images[:20], size, "L"))
    colour = load(f"resized:of=digits:size={size}:channels=3", Path())
    assert torch.equal(colour.images[:20], by_pillow(base.images[:20], size, "RGB"))
    assert grey.labels.tolist() == colour.labels.tolist() == base.labels.tolist()


@pytest.mark.parametrize("size", [13, 32, 224])
def test_colour_is_resized_as_pillow_does(size: int, tmp_path: Path) -> None:
    base = load("cifar10", write_noise(tmp_path))
    made = load(f"resized:of=cifar10:size={size}", tmp_path)
    assert torch.equal(made.images, by_pillow(base.images, size, "RGB"))
    assert size != 32 or made.id == base.id, "nothing changes"


def test_equal_channels_of_grey_are_read_as_three(tmp_path: Path) -> None:
    data = load(SMALL_MNIST, tmp_path)
    assert data.images.shape == (len(data), 3, 32, 32) and data.images.dtype == torch.uint8
    for index in (slice(0, 5), torch.tensor([4, 1])):
        batch = data.read(index)
        assert batch.is_contiguous() and batch.std(1).max() == 0
        assert torch.equal(batch, data.images[index].float() / 255)
    assert list(tmp_path.iterdir()) == [], "little is kept in memory"


def test_it_is_described_as_the_other_one_at_this_geometry() -> None:
    base = source("digits").info
    assert source(SMALL_MNIST).info == DataInfo(
        "digits", 3, 32, 10, base.mean * 3, base.std * 3, base.licence, base.class_names
    )
    colour = source("resized:of=tiny_imagenet:size=224").info
    assert (colour.channels, colour.size, colour.mean) == (3, 224, source("tiny_imagenet").info.mean)


def test_the_contract_of_data_sets_holds(tmp_path: Path) -> None:
    assert [result.problem for result in check_dataset(SMALL_MNIST, tmp_path)] == ["", ""]
    with pytest.raises(DataMissing, match="data get mnist"):
        load("resized:of=mnist:size=32:channels=3", tmp_path)


def test_content_names_it_and_is_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = load(SMALL_MNIST, tmp_path)
    assert small.id == DIGITS_ID
    monkeypatch.setattr(resized, "IN_MEMORY", 0)
    mapped = load(SMALL_MNIST, tmp_path)
    assert mapped.id == DIGITS_ID and torch.equal(mapped.images, small.images)
    grey = load("resized:of=digits:size=32", tmp_path)
    assert grey.id != DIGITS_ID and torch.equal(grey.images, mapped.images[:, :1])
    files = sorted(path.name.split(".", 1)[1] for path in (tmp_path / "stillproof-cache").iterdir())
    assert files == ["1.id", "3.id", "u8"], "equal channels are stored once"


def test_what_was_made_once_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resized, "IN_MEMORY", 0)
    first = load("resized:of=cifar10:size=8", write_noise(tmp_path))
    first.images[0] = 0  # copy on write: the file stays
    monkeypatch.setattr(resized, "_id_of", lambda *_: pytest.fail("the id is remembered"))
    with monkeypatch.context() as patched:
        patched.setattr(resized, "_resized", lambda *_: pytest.fail("only the file is read from now on"))
        again = load("resized:of=cifar10:size=8", tmp_path)
    assert again.id == first.id and int(again.images[0].max()) > 0


def test_other_images_of_the_same_name_are_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resized, "IN_MEMORY", 0)
    before = load("resized:of=cifar10:size=8", write_noise(tmp_path))
    after = load("resized:of=cifar10:size=8", write_noise(tmp_path, salt=1))
    assert after.id != before.id and not torch.equal(after.images, before.images)


def test_stopped_build_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = load("resized:of=cifar10:size=8", write_noise(tmp_path))
    made, resize = [], resized._resized

    def stopping(images: resized.Stack, size: int) -> resized.Stack:
        made.append(len(images))
        if len(made) == 3:
            raise KeyboardInterrupt
        return resize(images, size)

    monkeypatch.setattr(resized, "IN_MEMORY", 0)
    monkeypatch.setattr(mapped_cache, "BATCH", 4)
    monkeypatch.setattr(resized, "_resized", stopping)
    with pytest.raises(KeyboardInterrupt):
        load("resized:of=cifar10:size=8", tmp_path)
    partial = next((tmp_path / "stillproof-cache").glob("*.partial"))
    partial.write_bytes(partial.read_bytes()[:-1])
    again = load("resized:of=cifar10:size=8", tmp_path)
    assert again.id == expected.id and torch.equal(again.images, expected.images)
    assert made == [4, 4, 2, 3], "seven whole images were there"


def test_damaged_or_unwritable_caches_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resized, "IN_MEMORY", 0)
    (tmp_path / "stillproof-cache").write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreError, match=r"resized images in .* cannot be written"):
        load(SMALL_MNIST, tmp_path)
    (tmp_path / "stillproof-cache").unlink()
    load(SMALL_MNIST, tmp_path)
    next((tmp_path / "stillproof-cache").glob("*.u8")).write_bytes(b"short")
    with pytest.raises(Corrupt, match="delete it"):
        load(SMALL_MNIST, tmp_path)


@pytest.mark.filterwarnings("error")
def test_files_larger_than_memory_are_mapped_to_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memmap: Any = np.memmap

    def refusing(*args: Any, mode: str, **rest: Any) -> Any:
        if mode == "c":
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        return memmap(*args, mode=mode, **rest)

    monkeypatch.setattr(resized, "IN_MEMORY", 0)
    monkeypatch.setattr(np, "memmap", refusing)
    data = load(SMALL_MNIST, tmp_path)
    assert data.id == DIGITS_ID and float(data.read(slice(0, 4)).max()) > 0


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("resized:of=mnist:size=225", "images of mnist have 28 pixels a side .* at most 224"),
        ("resized:of=cifar10:size=32:channels=1", "channels of cifar10 cannot be changed from 3 to 1"),
        ("resized:of=mnist:size=32:channels=2", "from 1 to 2: leave channels out"),
        ("resized:of=mnist:size=32:channels=-1", "from 1 to -1"),
        ("resized:of=mnist:size=0", "size 0 must be positive"),
        ("resized:of=mnist", "needs a value for size"),
        ("resized:of=mnits:size=32", "did you mean 'mnist'"),
        ("resized:of=resized:size=32", "needs a value for of"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(reference: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        _ = source(reference).info
    assert "\n" not in str(refused.value) and str(refused.value).endswith((".", "?"))
    with pytest.raises(BadInput, match=said):
        load(reference, tmp_path)


def test_images_that_are_no_pictures_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = load("digits", tmp_path)
    floats = ImageSet(base.images.float() / 255, base.labels, base.info, base.id)
    monkeypatch.setattr(resized, "source", lambda _: SimpleNamespace(info=base.info, load=lambda *_: floats))
    with pytest.raises(BadInput, match="8-bit"):
        load("resized:of=digits:size=9", tmp_path)


@pytest.mark.parametrize("written", ["{}", "image_folder(path={},size=10)", "(image_folder:path={}:size=10)"])
def test_it_may_be_of_a_folder_or_of_a_data_set_with_parameters(written: str, tmp_path: Path) -> None:
    for place in ("train/ant", "train/bee", "test/ant", "test/bee"):
        (tmp_path / place).mkdir(parents=True)
        pixels = np.random.default_rng(len(place)).integers(0, 256, (10, 10, 3), np.uint8)
        Image.fromarray(pixels).save(tmp_path / place / "0.png")
    data = load(f"resized:of={written.format(tmp_path)}:size=6", tmp_path)
    assert data.images.shape == (2, 3, 6, 6) and data.info.class_names == ("ant", "bee")


def test_the_same_images_are_held_out_at_every_size(tmp_path: Path) -> None:
    small, large = (load_reference(name, "heldout", tmp_path) for name in ("digits", SMALL_MNIST))
    assert torch.equal(by_pillow(small.images, 32, "RGB"), large.images)
    assert small.id != large.id


def test_real_mnist_is_that_of_mad() -> None:
    if "STILLPROOF_DATA" not in os.environ:
        pytest.skip("STILLPROOF_DATA names no folder with real data")
    root = Path(os.environ["STILLPROOF_DATA"])
    try:
        base = load("mnist", root)
    except DataMissing as error:
        pytest.skip(str(error))
    made = load("resized:of=mnist:size=32:channels=3", root)
    assert torch.equal(made.images[::50], by_pillow(base.images[::50], 32, "RGB"))
    assert made.id == MNIST_ID


def test_importing_it_does_not_import_torch() -> None:
    code = "import sys, stillproof.data.resized; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_it_is_called_by_what_it_is_made_of() -> None:
    assert data_title("resized:of=mnist:size=32:channels=3") == "mnist-32"
    assert data_title("resized:of=image_folder(path=/somewhere/cats,size=64):size=32") == "cats-32"
