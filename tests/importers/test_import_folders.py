from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, Hard
from stillproof.importers.detect import detect
from stillproof.importers.foreign_set import ForeignSet
from stillproof.testing.toy import TOY

INFO = DataInfo("pets", 3, 8, 3, (0.5,) * 3, (0.2,) * 3, "none needed", ("cat", "Guinea pig", "dog"))


def noise(seed: int, size: int = 8) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (size, size, 3), dtype=np.uint8)


def write(root: Path, names: list[str], size: int = 8) -> Path:
    """Write one picture of noise per name, seeded by its place."""
    for seed, name in enumerate(names):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(noise(seed, size)).save(root / name)
    return root


def read(root: Path, info: DataInfo = INFO, form: str = "auto") -> tuple[ForeignSet, str]:
    importer, _ = detect(root, form)
    (found,) = importer.read(root, info)
    return found, importer.name


def hard(found: ForeignSet) -> list[int]:
    assert isinstance(found.labels, Hard)
    values: list[int] = found.labels.values.tolist()
    return values


LAYOUTS = {
    "sre2l": [f"new{c:03d}/class{c:03d}_id{i:03d}.png" for c in range(3) for i in range(2)],
    "rded": [f"{c:05d}/class{c:05d}_id{i:05d}.png" for c in range(3) for i in range(2)],
    "d4m": [f"{c}/{c}-image{i}0.png" for c in range(3) for i in range(2)],
    "numbered-folders": [f"{c:05d}/{i:05d}.png" for c in range(3) for i in range(2)],
    "image-folder": [f"{c}/{c}_{i}.png" for c in ("cat", "guinea_pig", "dog") for i in range(2)],
}


@pytest.mark.parametrize("form", LAYOUTS)
def test_every_layout_is_recognised_and_read_pixel_by_pixel(form: str, tmp_path: Path) -> None:
    names = LAYOUTS[form]
    found, recognised = read(write(tmp_path, names))
    assert recognised == form
    assert found.space == "pixels"
    in_order = sorted(range(len(names)), key=names.__getitem__)
    expected = np.stack([noise(seed) for seed in in_order])
    assert np.array_equal(found.images.mul(255).round().byte().permute(0, 2, 3, 1).numpy(), expected)
    assert hard(found) == ([0, 0, 2, 2, 1, 1] if form == "image-folder" else [0, 0, 1, 1, 2, 2])
    assert [file.name for file in found.files] == [Path(names[seed]).name for seed in in_order]


def test_folder_numbers_count_and_not_their_sorted_order(tmp_path: Path) -> None:
    info = DataInfo("many", 3, 8, 12, (0.5,) * 3, (0.2,) * 3, "none needed")
    found, _ = read(write(tmp_path, [f"{c}/{c}-image00.png" for c in range(12)]), info)
    assert hard(found) == [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]
    assert any("numbers" in sentence for sentence in found.found)


def test_unknown_names_are_taken_in_sorted_order_and_that_is_said(tmp_path: Path) -> None:
    found, _ = read(write(tmp_path, ["n02/x.png", "n01/x.png", "n03/x.png"]))
    assert hard(found) == [0, 1, 2]
    assert any("sorted order" in sentence and "check" in sentence for sentence in found.found)


def test_imagenet_subsets_are_told_by_their_wordnet_ids(tmp_path: Path) -> None:
    info = DataInfo("imagenette", 3, 8, 10, (0.5,) * 3, (0.2,) * 3, "none", ("tench", "English springer"))
    found, _ = read(write(tmp_path, ["n02102040/a.png", "n01440764/a.png"]), info)
    assert hard(found) == [0, 1]
    assert "classes are told by the WordNet ids of their folders" in found.found


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["new000/class000_id000.png", "new003/class003_id000.png"], "new003 is class 3, but pets has 0 to 2"),
        (["1/a.png", "01/a.png"], "two folders of the same class"),
        (["cat/a.png", "bird/a.png"], "'bird'"),
    ],
)
def test_folders_of_other_classes_are_refused(names: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=said):
        read(write(tmp_path, names))


def test_only_d4m_may_be_shrunk_and_that_is_said(tmp_path: Path) -> None:
    found, _ = read(write(tmp_path / "d4m", LAYOUTS["d4m"], size=224))
    assert found.images.shape == (6, 3, 8, 8)
    assert "pictures of 224 pixels were shrunk to the 8 of pets, bilinearly" in found.found
    small = Image.fromarray(noise(0, 224)).resize((8, 8), Image.Resampling.BILINEAR)
    assert np.array_equal(found.images[0].mul(255).round().byte().permute(1, 2, 0).numpy(), np.asarray(small))
    for form, size in (("sre2l", 224), ("d4m", 100), ("image-folder", 4)):
        root = write(tmp_path / f"{form}-{size}", LAYOUTS[form], size=size)
        with pytest.raises(BadInput, match=f"has {size} x {size} pixels, but pets has 8 x 8"):
            read(root)


def test_pictures_that_are_not_square_are_refused(tmp_path: Path) -> None:
    write(tmp_path, LAYOUTS["rded"])
    Image.fromarray(noise(0)[:, :6]).save(tmp_path / LAYOUTS["rded"][3])
    with pytest.raises(BadInput, match=r"class00001_id00001\.png has 6 x 8"):
        read(tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a picture", b"cut"])
def test_a_corrupt_picture_is_named(content: bytes, tmp_path: Path) -> None:
    broken = write(tmp_path, LAYOUTS["sre2l"]) / LAYOUTS["sre2l"][4]
    broken.write_bytes(broken.read_bytes()[:-40] if content == b"cut" else content)
    with pytest.raises(BadInput, match=r"class002_id000\.png cannot be read as a picture"):
        read(tmp_path)


def test_grey_data_sets_get_grey_images(tmp_path: Path) -> None:
    found, _ = read(write(tmp_path, [f"{name}/0.png" for name in TOY.class_names]), TOY)
    assert found.images.shape == (3, 1, 8, 8)
    grey = np.asarray(Image.fromarray(noise(0)).convert("L"))
    assert torch.equal(found.images[0, 0].mul(255).round().byte(), torch.from_numpy(grey.copy()))


def test_the_method_is_told_by_the_layout_or_the_folder(tmp_path: Path) -> None:
    assert read(write(tmp_path / "x", LAYOUTS["rded"]))[0].method == "rded"
    assert read(write(tmp_path / "cifar10_CDA_ipc2", LAYOUTS["sre2l"]))[0].method == "cda"
    assert read(write(tmp_path / "medcast", LAYOUTS["sre2l"]))[0].method == "own"


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "new000").mkdir()
    with pytest.raises(BadInput, match="no known format"):
        read(tmp_path)
    with pytest.raises(BadInput, match="holds no folders with"):
        read(tmp_path, form="sre2l")
    (tmp_path / "file.png").write_bytes(b"x")
    with pytest.raises(BadInput, match="is not a folder"):
        read(tmp_path / "file.png", form="sre2l")
