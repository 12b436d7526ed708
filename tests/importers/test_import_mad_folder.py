"""MAD's folder layout: what is read, what is refused, and which clean images pictures were made of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from mad_folders import TEST, noisy, sources, write
from PIL import Image
from torch import Tensor

from stillproof import BadInput, Request, Session
from stillproof.core.errors import CellFailed, DataMissing
from stillproof.core.types import DataInfo, ImageSet
from stillproof.importers import nearest_clean
from stillproof.importers.mad_folder import AttackPictures, find_attacks, read_attack
from stillproof.suites.requests import trained

GREY = DataInfo("grey", 1, 8, 10, (0.5,), (0.2,), "none needed")
COLOUR = DataInfo("colour", 3, 8, 10, (0.5,) * 3, (0.2,) * 3, "none needed")
PIXELS = np.arange(64, dtype=np.uint8).reshape(8, 8)
ONE = "13/test/3/3_0.png"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("mad-folder") / "s.db")) as opened:
        yield opened


def tensors(session: Session, artifact: str | None) -> dict[str, Tensor]:
    assert artifact is not None
    return session.store.artifacts.read(artifact).tensors


def read_only(root: Path, info: DataInfo = GREY) -> AttackPictures:
    (found,), _ = find_attacks(root, info)
    return read_attack(found, info)


def test_attacks_splits_and_classes_are_told_by_folders_in_order_of_their_numbers(tmp_path: Path) -> None:
    for name in (
        "13/val/2/2_0.png",
        "13/train/3/3_10.png",
        "13/train/3/3_9.png",
        "13/test/07/7_0.png",
        "pgd/val/1/x.PNG",
    ):
        write(tmp_path / name, PIXELS)
    write(tmp_path / "4/train/1/1_0.png", PIXELS)
    attacks, strange = find_attacks(tmp_path, GREY)
    assert [one.name for one in attacks] == ["4", "13", "pgd"] and strange == []
    listed = zip(attacks[1].files, attacks[1].roles, attacks[1].labels, strict=True)
    assert [(file.name, role, label) for file, role, label in listed] == [
        ("3_9.png", 0, 3),
        ("3_10.png", 0, 3),
        ("2_0.png", 1, 2),
        ("7_0.png", 2, 7),
    ]


def test_what_is_no_part_of_the_layout_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path / ONE, PIXELS)
    for name in ("13/test/three/3_0.png", "13/validation/3/3_0.png", "notes/3_0.png", ".hidden/test/3/3_0.png"):
        write(tmp_path / name, PIXELS)
    (tmp_path / "13/test/3/Thumbs.db").touch()
    (tmp_path / "read.me").touch()
    (tmp_path / "8").symlink_to(tmp_path / "13")
    attacks, strange = find_attacks(tmp_path, GREY)
    assert [[file.name for file in one.files] for one in attacks] == [["3_0.png"]]
    assert set(strange) == {"13/test/three", "13/validation", "13/test/3/Thumbs.db", "notes", "read.me", "8"}


def test_a_folder_of_another_layout_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "root" / ONE, PIXELS)
    (tmp_path / "empty").mkdir()
    for root, said in (("empty", "does not have"), ("root/13", "does not have"), (f"root/{ONE}", "not a folder")):
        with pytest.raises(BadInput, match=rf"{said}.*<attack>/<train\|val\|test>/<class>/<class>_<n>\.png"):
            find_attacks(tmp_path / root, GREY)
    with pytest.raises(BadInput, match="is not there"):
        find_attacks(tmp_path / "nowhere", GREY)
    write(tmp_path / "root" / "13/test/10/10_0.png", PIXELS)
    with pytest.raises(BadInput, match="13/test/10 is class 10, but grey has 0 to 9"):
        find_attacks(tmp_path / "root", GREY)


def coloured() -> Image.Image:
    return Image.fromarray(np.stack([PIXELS, PIXELS, PIXELS + 1], -1))


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "colours": (lambda file: coloured().save(file), "3_1.png has colours, but grey is grey"),
    "deep": (lambda file: Image.fromarray(PIXELS.astype(np.uint16)).save(file), "more than 8 bits"),
    "see-through": (lambda file: Image.new("LA", (8, 8), (9, 254)).save(file), "is transparent"),
    "large": (lambda file: Image.new("L", (9, 8)).save(file), "3_1.png has 9 x 8 pixels, but grey has 8 x 8"),
    "cut": (lambda file: file.write_bytes((file.parent / "3_0.png").read_bytes()[:-30]), "cannot be read as a picture"),
    "empty": (lambda file: file.touch(), "neither a PNG nor a JPEG"),
    "gif": (lambda file: Image.new("L", (8, 8)).save(file, format="GIF"), "neither a PNG nor a JPEG"),
    "link": (lambda file: file.symlink_to(file.parent / "3_0.png"), "is no regular file"),
    "pipe": (os.mkfifo, "is no regular file"),
    "folder": (lambda file: file.mkdir(), "is no regular file"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_picture_that_cannot_be_used_is_named_and_the_others_are_read(kind: str, tmp_path: Path) -> None:
    make, said = REFUSED[kind]
    write(tmp_path / ONE, PIXELS)
    make(tmp_path / "13/test/3/3_1.png")
    write(tmp_path / "13/test/3/3_2.png", PIXELS + 1)
    found = read_only(tmp_path)
    assert found.labels.tolist() == [3, 3] and found.roles.tolist() == [2, 2]
    assert np.array_equal(found.images[:, 0], np.stack([PIXELS, PIXELS + 1]))
    (sentence,) = found.refused
    assert sentence.startswith("test/3/3_1.png") and said in sentence and str(tmp_path) not in sentence


def test_equal_channels_are_grey_and_grey_is_three_equal_channels(tmp_path: Path) -> None:
    write(tmp_path / "a" / ONE, np.stack([PIXELS] * 3, -1))
    write(tmp_path / "b" / ONE, PIXELS)
    Image.fromarray(PIXELS).convert("P").save(tmp_path / "b/13/test/3/3_1.png")
    coloured().save(tmp_path / "b/13/test/3/3_2.png")
    assert np.array_equal(read_only(tmp_path / "a").images, PIXELS[None, None])
    found = read_only(tmp_path / "b", COLOUR).images
    assert np.array_equal(found[0], np.stack([PIXELS] * 3)) and np.array_equal(found[0], found[1])
    assert np.array_equal(found[2], np.stack([PIXELS, PIXELS, PIXELS + 1]))


@given(seed=st.integers(0, 2**31), step=st.integers(1, 9))
def test_the_nearest_clean_image_is_that_of_a_plain_search(seed: int, step: int) -> None:
    draws = np.random.default_rng(seed)
    clean, images = (draws.integers(0, 4, (count, 1, 2, 2), dtype=np.uint8) * 85 for count in (12, 15))
    labels, clean_labels = draws.integers(0, 2, 15), np.arange(12) % 2
    data = ImageSet(torch.from_numpy(clean), torch.from_numpy(clean_labels), DataInfo("", 1, 2, 2, (), (), ""), "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_clean, "MOST_ROWS", step)
        found = nearest_clean.nearest_clean(images, labels, data)
    for at, label in enumerate(labels):
        far = [
            ((images[at].astype(int) - one) ** 2).sum() if its == label else 10**9
            for one, its in zip(clean, clean_labels, strict=True)
        ]
        assert found.sources[at] == int(np.argmin(far))
        assert [found.squares[at], found.second[at]] == sorted(far)[:2]


def test_every_source_is_found_and_noted_with_its_role(session: Session, tmp_path: Path) -> None:
    taken = session.attack_set_import(noisy(tmp_path / "of mine", "13", "pgd-2"), "digits")
    assert taken.pool == taken.made.name == "of-mine"
    assert [one.attack for one in taken.made.attacks] == ["mad/13", "pgd-2"]
    assert not any(one.warnings for one in taken.made.attacks)
    for one in taken.made.attacks:
        kept, known = tensors(session, one.artifact), sources()
        files = [f"{split}/{label}" for split in ("train", "val", "test") for label in range(10)]
        expected = [place for folder in files for name, place in known.items() if name.startswith(f"{folder}/")]
        assert kept["sources"].tolist() == expected and kept["images"].shape == (60, 1, 8, 8)
        assert torch.equal(kept["labels"].long(), TEST.labels[kept["sources"].long()])
        assert kept["roles"].long().bincount().tolist() == [30, 10, 20]
        change = kept["images"].float() / 255 - TEST.read(kept["sources"].long())
        assert torch.allclose(kept["linf"], change.abs().amax((1, 2, 3))) and kept["linf"].max() <= 20 / 255 + 1e-6
        assert "predictions" not in kept and "forwards" not in kept
        assert one.numbers["success"] is None and one.numbers["right"] is None and one.numbers["n"] == 60
    assert (taken.made.per_class, list(taken.made.split), taken.made.protocol) == (6, [3, 1, 2], "imported")
    text = repr(taken.made)
    assert "how they were made is not known, and no model was asked of them" in text and "nan" not in text
    picture = session.attack_set_gallery(taken.made, tmp_path / "gallery.png")
    assert picture.is_file()


def test_missing_attacks_are_named_and_more_can_be_added_later(session: Session, tmp_path: Path) -> None:
    taken = session.attack_set_import(noisy(tmp_path / "grows", "13"), "digits")
    (said,) = taken.found
    assert said.startswith("21 of the 22 attacks of MAD-M are not there: 3, 4, 5, 6, 7, 8, 11, 14, ")
    noisy(tmp_path / "grows", "13", "18")
    again = session.attack_set_import(tmp_path / "grows", "digits")
    assert again.made.artifacts[0] == taken.made.artifacts[0] and len(again.made.attacks) == 2
    noisy(tmp_path / "grows", "18")  # other pictures by now
    with pytest.raises(BadInput, match="pool 'grows' holds other images of mad/18 already"):
        session.attack_set_import(tmp_path / "grows", "digits")
    assert len(session.found_attack_set("grows").attacks) == 2
    assert session.attack_set_import(noisy(tmp_path / "own", "pgd"), "digits").found == []


def test_pictures_and_attacks_that_cannot_be_used_are_told(session: Session, tmp_path: Path) -> None:
    root = noisy(tmp_path / "worn", "13", "18", "20")
    for name in ("0/0_0", "0/0_1", "3/3_0", "3/3_1"):
        (root / f"13/train/{name}.png").write_bytes(b"worn")
    for file in (root / "18").rglob("*.png"):
        Image.new("L", (9, 9)).save(file)
    shutil.rmtree(root / "20")
    (root / "20/test/3").mkdir(parents=True)
    taken = session.attack_set_import(root, "digits")
    (one,) = taken.made.attacks
    assert one.numbers["n"] == 56
    assert one.warnings[0].startswith("4 of 60 pictures are left out: train/0/0_0.png cannot be read as a picture")
    assert one.warnings[0].endswith("; and 1 more.") and (taken.made.per_class, taken.made.split) == (4, [0, 0, 0])
    assert "at least 4 test images per class" in repr(taken.made)
    assert taken.found[0].startswith(
        "mad/18 is left out, since none of its 60 pictures can be used: train/0/0_0.png has"
    )
    assert taken.found[1] == "mad/20 is left out, since it has no picture."
    shutil.rmtree(root / "13")
    with pytest.raises(BadInput, match="worn holds no picture that can be used: mad/18 is left out"):
        session.attack_set_import(root, "digits", pool="none")
    assert "none" not in session.store.pools.names()


def test_uncertain_sources_are_told(session: Session, tmp_path: Path) -> None:
    root = noisy(tmp_path / "twice", "13")
    shutil.copy(root / "13/train/4/4_0.png", root / "13/train/4/4_9.png")
    (one,) = session.attack_set_import(root, "digits").made.attacks
    assert [said.partition(",")[0] for said in one.warnings] == [
        "2 of 61 images share their nearest clean image with another one"
    ]
    other = tmp_path / "mirrored"
    for name, place in sources().items():
        write(other / "13" / name, TEST.images[place, 0].numpy()[:, ::-1])
    (one,) = session.attack_set_import(other, "digits").made.attacks
    assert "their sources are guesses, and they may be of another data set or part" in one.warnings[-1]


def test_sources_that_are_learned_from_and_tested_on_are_counted(session: Session, tmp_path: Path) -> None:
    root = noisy(tmp_path / "leaks", "13", "18")
    (root / "18/train/5/5_0.png").rename(root / "18/test/5/5_9.png")
    found = session.attack_set_import(root, "digits").made
    assert list(found.notes) == [
        "1 of 50 sources are learned from under one attack and tested on under another, as in MAD's own sets."
    ]
    assert found.notes[0] in repr(found)


def test_without_the_data_set_sources_are_unknown_and_that_is_said(session: Session, tmp_path: Path) -> None:
    for label in range(10):
        write(tmp_path / f"far/13/test/{label}/{label}_0.png", np.full((28, 28), label, np.uint8))
    away = Session(str(tmp_path / "s.db"), str(tmp_path / "no-data"))
    with away:
        (one,) = away.attack_set_import(tmp_path / "far", "mnist").made.attacks
        kept = tensors(away, one.artifact)
        assert kept["sources"].tolist() == [-1] * 10 and "linf" not in kept
        assert one.warnings == ["which image each was made of is not known: mnist was not at hand."]
        assert one.numbers["median_l2"] is None and one.warnings[0] in repr(away.found_attack_set("far"))
        with pytest.raises(BadInput, match="not known which images of mnist were attacked"):
            away.attack_set_gallery(away.found_attack_set("far"), tmp_path / "g.png")
        with pytest.raises(DataMissing, match="mnist"):
            away.attack_set_import(tmp_path / "far", "mnist", model="anything")


def test_networks_are_trained_on_what_was_imported_but_not_judged_by_its_sources(
    session: Session, tmp_path: Path
) -> None:
    def learned(part: str) -> Request:
        (artifact,) = session.attack_set_import(root, "digits", part=part, pool=part).made.artifacts  # type: ignore[arg-type]
        return trained(
            Request("artifact", artifact=artifact, dataset="digits", count=60), "convnet-1:width=4", "smoke", 0
        )

    root = noisy(tmp_path / "learned", "13")
    assert session.answer(learned("train"))["n_test"] == len(TEST)
    with pytest.raises(CellFailed, match="made of the images that the network is to be judged by"):
        session.answer(learned("test"))


def test_a_class_without_clean_images_is_refused(tmp_path: Path) -> None:
    data = ImageSet(TEST.images[:1], TEST.labels[:1], TEST.info, "")
    absent = (int(TEST.labels[0]) + 1) % 10
    with pytest.raises(BadInput, match=f"that part of digits has no image of class {absent}"):
        nearest_clean.nearest_clean(TEST.images[:1].numpy(), np.array([absent]), data)


def test_a_picture_is_drawn_though_no_image_is_under_all_attacks(session: Session, tmp_path: Path) -> None:
    root = noisy(tmp_path / "apart", "13", "18")
    for label in range(10):
        shutil.rmtree(root / ("13" if label < 5 else "18") / "test" / str(label))
        for split in ("train", "val"):
            shutil.rmtree(root / ("13" if label < 5 else "18") / split / str(label))
    found = session.attack_set_import(root, "digits").made
    with Image.open(session.attack_set_gallery(found, tmp_path / "gallery.png")) as picture:
        assert picture.width > 2 * 80
    assert "at least 0 test images per class" in repr(found) and "Classes or attacks differ in size" in repr(found)
