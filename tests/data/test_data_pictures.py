from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput, Corrupt, DataMissing
from stillproof.core.types import ImageSet
from stillproof.data import mapped_cache, picture_cache
from stillproof.data.imagenet_subsets import SUBSETS
from stillproof.data.load import load as load_reference
from stillproof.data.load import source
from stillproof.data.pictures import read_picture

# The positions that the trajectory-matching code gives among the 1,000 sorted WordNet ids.
POSITIONS = {
    "imagenette": [0, 217, 482, 491, 497, 566, 569, 571, 574, 701],
    "imagewoof": [193, 182, 258, 162, 155, 167, 159, 273, 207, 229],
    "imagemeow": [281, 282, 283, 284, 285, 291, 292, 290, 289, 287],
    "imagesquawk": [84, 130, 88, 144, 145, 22, 96, 9, 100, 89],
    "imagefruit": [953, 954, 949, 950, 951, 957, 952, 945, 943, 948],
    "imageyellow": [309, 986, 954, 951, 987, 779, 599, 291, 72, 11],
}


def save(path: Path, pixels: NDArray[np.uint8]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def colour(value: int, height: int, width: int) -> NDArray[np.uint8]:
    return np.full((height, width, 3), (value, 255 - value, 7), np.uint8)


def load(name: str, root: Path, split: str = "train") -> ImageSet:
    return datasets.build(name).load(root, "train" if split == "train" else "test")


def tiny(root: Path) -> Path:
    folder = root / "tiny-imagenet-200"
    lines = []
    for i in range(200):
        wnid = f"n{(i * 37) % 200:08d}"
        pixels = colour(int(wnid[1:]), 64, 64)
        save(folder / "train" / wnid / "images" / f"{wnid}_0.JPEG", pixels[..., 0] if i == 0 else pixels)
        save(folder / "val" / "images" / f"val_{i}.JPEG", pixels)
        lines.append(f"val_{i}.JPEG\t{wnid}\t0\t0\t62\t62\n")
    (folder / "val" / "val_annotations.txt").write_text("".join(lines), encoding="utf-8")
    return folder


def test_tiny_imagenet_reads_both_parts_in_sorted_class_order(tmp_path: Path) -> None:
    tiny(tmp_path)
    train, test = load("tiny_imagenet", tmp_path), load("tiny_imagenet", tmp_path, "test")
    assert train.images.shape == test.images.shape == (200, 3, 64, 64)
    assert train.labels.tolist() == list(range(200))
    assert test.labels.tolist() == [(i * 37) % 200 for i in range(200)]
    assert abs(int(test.images[5, 0, 30, 30]) - int(test.labels[5])) <= 2
    assert train.images[0].float().std(0).max() == 0  # the grey picture became three equal channels


def test_broken_tiny_imagenet_is_refused(tmp_path: Path) -> None:
    folder = tiny(tmp_path)
    annotations = folder / "val" / "val_annotations.txt"
    annotations.write_text("val_0.JPEG\tn99999999\t0\t0\t1\t1\n", encoding="utf-8")
    with pytest.raises(BadInput, match="n99999999"):
        load("tiny_imagenet", tmp_path, "test")
    annotations.write_text("../../x.JPEG\tn00000000\t0\t0\t1\t1\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"\.\./"):
        load("tiny_imagenet", tmp_path, "test")
    for name in ("\x1b[2Jx.JPEG", "x\0.JPEG", "x" * 5000):
        annotations.write_text(f"{name}\tn00000000\t0\t0\t1\t1\n", encoding="utf-8")
        with pytest.raises(BadInput, match="does not name a picture") as refused:
            load("tiny_imagenet", tmp_path, "test")
        assert str(refused.value).isprintable() and len(str(refused.value)) < len(str(annotations)) + 400
    picture = folder / "train" / "n00000005" / "images" / "n00000005_0.JPEG"
    picture.write_bytes(picture.read_bytes()[:100])
    with pytest.raises(BadInput, match="n00000005_0"):
        load("tiny_imagenet", tmp_path)
    picture.unlink()
    picture.parent.rmdir()
    picture.parent.parent.rmdir()
    with pytest.raises(BadInput, match="199 class folders"):
        load("tiny_imagenet", tmp_path)


def test_subsets_are_those_of_the_literature() -> None:
    assert SUBSETS.keys() == POSITIONS.keys()
    wnids = {position: wnid for name in SUBSETS for position, wnid in zip(POSITIONS[name], SUBSETS[name], strict=True)}
    for name, positions in POSITIONS.items():
        assert [wnids[p] for p in positions] == list(SUBSETS[name])
    in_order = [wnids[p] for p in sorted(wnids)]
    assert in_order == sorted(in_order)


def imagenet(root: Path, folder: str = "imagenet", subset: str = "imagewoof") -> None:
    for label, wnid in enumerate(SUBSETS[subset]):
        for place, count in (("train", 3), ("val", 1)):
            for i in range(count):
                save(root / folder / place / wnid / f"{wnid}_{i}.JPEG", colour(20 * label + i, 40, 30 + i))


def test_imagenet_subset_through_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imagenet(tmp_path)
    (tmp_path / "imagenet" / "train" / "n00000001").mkdir()  # other classes do not matter
    train = load("imagewoof:size=16", tmp_path)
    assert train.images.shape == (30, 3, 16, 16) and train.info.name == "imagewoof"
    assert train.labels.tolist() == [label for label in range(10) for _ in range(3)]
    assert [abs(int(train.images[3 * k, 0, 8, 8]) - 20 * k) <= 3 for k in range(10)] == [True] * 10
    files = sorted(p.suffix for p in (tmp_path / "imagenet" / "stillproof-cache").iterdir())
    assert files == [".id", ".u8"]
    train.images[0] = 0  # copy on write: the file stays
    monkeypatch.setattr(picture_cache, "read_picture", lambda *_: pytest.fail("only the cache is read from now on"))
    again = load("imagewoof:size=16", tmp_path)
    assert again.id == train.id and int(again.images[0].max()) > 0
    assert len(again) == 30


def test_pictures_replaced_under_equal_names_are_decoded_again(tmp_path: Path) -> None:
    imagenet(tmp_path)
    before = load("imagewoof:size=16", tmp_path)
    picture = min((tmp_path / "imagenet" / "train" / next(iter(SUBSETS["imagewoof"]))).iterdir())
    size, time_ns = picture.stat().st_size, picture.stat().st_mtime_ns
    save(picture, colour(200, 80, 60))
    os.utime(picture, ns=(time_ns, time_ns))
    assert picture.stat().st_size != size
    after = load("imagewoof:size=16", tmp_path)
    assert after.id != before.id and abs(int(after.images[0, 0, 8, 8]) - 200) <= 3
    os.utime(picture, ns=(time_ns, time_ns + 1))
    assert load("imagewoof:size=16", tmp_path).id == after.id
    assert len(list((tmp_path / "imagenet" / "stillproof-cache").glob("*.u8"))) == 3, "another time is another key"


def test_a_picture_that_is_a_dead_link_is_refused(tmp_path: Path) -> None:
    imagenet(tmp_path)
    (tmp_path / "imagenet" / "train" / next(iter(SUBSETS["imagewoof"])) / "dead.JPEG").symlink_to("nowhere")
    with pytest.raises(BadInput, match=r"dead\.JPEG cannot be read"):
        load("imagewoof:size=16", tmp_path)


def test_stopped_cache_build_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imagenet(tmp_path)
    expected = load("imagewoof:size=16", tmp_path).id
    for file in (tmp_path / "imagenet" / "stillproof-cache").iterdir():
        file.unlink()
    read: list[Path] = []

    def stopping(path: Path, size: int, channels: int) -> NDArray[np.uint8]:
        read.append(path)
        if len(read) == 13:
            raise KeyboardInterrupt
        return read_picture(path, size, channels)

    monkeypatch.setattr(mapped_cache, "BATCH", 4)
    monkeypatch.setattr(picture_cache, "read_picture", stopping)
    with pytest.raises(KeyboardInterrupt):
        load("imagewoof:size=16", tmp_path)
    partial = next((tmp_path / "imagenet" / "stillproof-cache").glob("*.partial"))
    partial.write_bytes(partial.read_bytes() + b"half a picture")
    assert load("imagewoof:size=16", tmp_path).id == expected
    assert len(read) == 13 + 18


def test_damaged_imagenet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="size 0"):
        source("imagenette:size=0")
    with pytest.raises(DataMissing, match=r"image-net\.org"):
        load("imagenette", tmp_path)
    imagenet(tmp_path)
    with pytest.raises(BadInput, match="n01440764"):
        load("imagenette", tmp_path)
    with pytest.raises(BadInput, match="10 class folders"):
        load("imagenet", tmp_path)
    load("imagewoof:size=16", tmp_path)
    cache = next((tmp_path / "imagenet" / "stillproof-cache").glob("*.u8"))
    cache.write_bytes(b"short")
    with pytest.raises(Corrupt, match="delete it"):
        load("imagewoof:size=16", tmp_path)


def test_subset_in_a_folder_of_its_own(tmp_path: Path) -> None:
    imagenet(tmp_path, "imagefruit", "imagefruit")
    test = load("imagefruit:size=8", tmp_path, "test")
    assert test.labels.tolist() == list(range(10)) and test.info.class_names[0] == "pineapple"


def own(root: Path) -> Path:
    for part, count in (("train", 4), ("test", 2)):
        for k, name in enumerate(("ant", "bee")):
            for i in range(count):
                save(root / "mine" / part / name / f"{i}.png", colour(100 * k + i, 20, 30))
    (root / "mine" / "train" / "ant" / "notes.txt").write_text("x", encoding="utf-8")
    (root / "mine" / "train" / "ant" / "._0.png").write_bytes(b"not a picture")
    return root / "mine"


def test_image_folder_by_name_and_by_path(tmp_path: Path) -> None:
    folder = own(tmp_path)
    short, long = (
        load_reference(str(folder), "train", tmp_path),
        load_reference(f"image_folder:path={folder}", "train", tmp_path),
    )
    assert short.id == long.id and short.info == long.info == source(str(folder)).info
    assert short.images.shape == (8, 3, 32, 32) and short.info.class_names == ("ant", "bee")
    pixels = short.images.double() / 255
    assert short.info.mean == pytest.approx(pixels.mean((0, 2, 3)).tolist(), abs=1e-4)
    assert short.info.std[:2] == pytest.approx(pixels.std((0, 2, 3), correction=0).tolist()[:2], abs=1e-4)
    assert short.info.std[2] == 1.0  # that channel never changes
    grey = load_reference(f"image_folder:path={folder}:size=9:channels=1:allow_test_images=true", "test", tmp_path)
    assert grey.images.shape == (4, 1, 9, 9) and grey.labels.tolist() == [0, 0, 1, 1]


def test_broken_image_folder_is_refused(tmp_path: Path) -> None:
    folder = own(tmp_path)
    for reference in ("size=0", "channels=2", "size=big"):
        with pytest.raises(BadInput):
            source(f"image_folder:path={folder}:{reference}")
    with pytest.raises(DataMissing, match="elsewhere/train"):
        load("image_folder:path=elsewhere", tmp_path)
    save(folder / "test" / "wasp" / "0.png", colour(1, 4, 4))
    with pytest.raises(BadInput, match="wasp"):
        load(f"image_folder:path={folder}", tmp_path, "test")
    (folder / "train" / "cow").mkdir()
    with pytest.raises(BadInput, match="cow"):
        load(f"image_folder:path={folder}:size=31", tmp_path)


def test_pictures_are_resized_by_the_shorter_side_and_cut_in_the_middle(tmp_path: Path) -> None:
    pixels = np.zeros((10, 30, 3), np.uint8)
    pixels[:, 10:20] = 200
    save(tmp_path / "wide.png", pixels)
    np.testing.assert_array_equal(read_picture(tmp_path / "wide.png", 10, 3), pixels[:, 10:20])
    save(tmp_path / "tall.png", pixels.transpose(1, 0, 2))
    assert read_picture(tmp_path / "tall.png", 5, 1).shape == (5, 5, 1)
    assert (read_picture(tmp_path / "tall.png", 5, 1)[2] == 200).all()
    Image.fromarray(np.full((4, 4), 60_000, np.uint16)).save(tmp_path / "deep.png")
    with pytest.raises(BadInput, match="8 bits"):
        read_picture(tmp_path / "deep.png", 4, 1)
