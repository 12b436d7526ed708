"""Sets in plain forms of no method's own: dictionaries, arrays, and files of any names."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign_files import INFO, LABELS, images, results, saved, trajectory
from PIL import Image
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import Hard, Stored
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import ImportedSet, read_sets
from stillproof.session import Session

BYTES: Tensor = images().sigmoid().mul(255).round()
PIXELS = BYTES / 255
ONE_HOT = torch.nn.functional.one_hot(LABELS, 10)


def read(path: Path, **options: Any) -> tuple[ForeignSet, str, list[str]]:
    found = read_sets(path, INFO, "digits", ImportOptions(**options))
    ((foreign, origin),) = found.sets
    return foreign, origin.form, found.found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("images", "labels"),
        ("X", "Y"),
        ("x_train", "y_train"),
        ("data", "targets"),
        ("image_syn", "label_syn"),
        ("images", "y"),
    ],
)
def test_dictionaries_and_arrays_under_the_usual_names(tmp_path: Path, first: str, second: str) -> None:
    entries = {first: images(), second: LABELS}
    arrays: dict[str, Any] = {name: value.numpy() for name, value in entries.items()}
    np.savez(tmp_path / "a.npz", **arrays)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(entries))
    files = {
        saved(entries, tmp_path / "a.pt"): "dictionary",
        tmp_path / "a.npz": "npz",
        tmp_path / "a.pkl": "dictionary",
    }
    for path, form in files.items():
        foreign, found_form, _ = read(path)
        assert (found_form, foreign.method, foreign.decode, foreign.recipe) == (form, "own", "none", "")
        assert torch.equal(foreign.images, images()) and torch.equal(foreign.labels.values, LABELS)


def test_a_dictionary_may_hold_lists_arrays_and_more(tmp_path: Path) -> None:
    path = saved({"images": images().numpy(), "labels": LABELS.tolist(), "lr": 0.03}, tmp_path / "a.pt")
    foreign, _, found = read(path)
    assert torch.equal(foreign.labels.values, LABELS)
    assert "the dictionary also holds lr, which is not used" in found


@pytest.mark.parametrize("names", [("A.pt", "B.npy"), ("A.npy", "B.pth")])
def test_two_files_of_any_names(tmp_path: Path, names: tuple[str, str]) -> None:
    for name, value in zip(names, (images(), LABELS), strict=True):
        path = tmp_path / name
        np.save(path, value.numpy()) if path.suffix == ".npy" else saved(value, path)
    foreign, form, found = read(tmp_path / names[0], labels=tmp_path / names[1])
    assert form == "two-files" and torch.equal(foreign.images, images()) and f"{names[0]} with {names[1]}" in found
    assert foreign.files == (tmp_path / names[0], tmp_path / names[1])


@pytest.mark.parametrize(
    ("second", "options", "words"),
    [
        ("absent.pt", {"form": "two-files"}, "absent.pt does not exist, or is not a file"),
        ("notes.txt", {}, "notes.txt cannot be one of two files"),
        ("B.pt", {}, r"B.pt holds a dict where a tensor is expected"),
    ],
)
def test_two_files_that_are_not_two_tensors_are_refused(
    tmp_path: Path, second: str, options: dict[str, Any], words: str
) -> None:
    saved(images(), tmp_path / "A.pt")
    saved({"labels": LABELS}, tmp_path / "B.pt")
    (tmp_path / "notes.txt").write_text("0 1 2")
    with pytest.raises(BadInput, match=words):
        read(tmp_path / "A.pt", labels=tmp_path / second, **options)


def test_a_plain_pair_of_files_is_nobodys(tmp_path: Path) -> None:
    foreign, form, found = read(trajectory(tmp_path, ""))
    assert (form, foreign.method, foreign.recipe) == ("pt", "own", "")
    assert any("--method" in sentence for sentence in found)
    rated, form, _ = read(trajectory(tmp_path, "", lr=torch.tensor(0.03)))
    assert (form, rated.method, rated.recipe_params) == ("trajectory", "MTT", {"lr": pytest.approx(0.03)})


def test_a_method_is_whose_the_user_says(tmp_path: Path) -> None:
    path = saved((images(), LABELS), tmp_path / "mine.pt")
    assert read(path, method="my-set")[0].method == "my-set"
    known, _, found = read(path, method="mtt")
    assert (known.method, known.recipe) == ("MTT", "dc-bench-dsa") and "method MTT, as asked for" in found
    packed, _, found = read(path, method="idm")
    assert packed.decode == "grid2x2" and not any("--method" in sentence for sentence in found)
    assert read(results(tmp_path), method="mine")[0].method == "mine"
    for wrong in ("my set", "a,b", "dm:steps=3", "-x", "../x"):
        with pytest.raises(BadInput, match="is not a name"):
            ImportOptions(method=wrong)


@pytest.mark.parametrize("labels", [ONE_HOT, ONE_HOT.float(), ONE_HOT.bool()])
def test_one_hot_labels_are_classes(tmp_path: Path, labels: Tensor) -> None:
    foreign, _, found = read(saved((images(), labels), tmp_path / "a.pt"))
    assert isinstance(foreign.labels, Hard) and torch.equal(foreign.labels.values, LABELS)
    assert "labels are one-hot, so they are classes" in found
    soft, _, _ = read(saved((images(), 0.9 * ONE_HOT + 0.01), tmp_path / "a.pt"))
    assert isinstance(soft.labels, Stored) and soft.labels.kind == "probs"


def test_one_hot_labels_without_a_class_are_refused(tmp_path: Path) -> None:
    path = saved((images()[:18], ONE_HOT[:18]), tmp_path / "a.pt")
    with pytest.raises(BadInput, match="labels name only 9 of the 10 classes"):
        read(path)


def test_grey_images_need_no_axis_of_channels(tmp_path: Path) -> None:
    foreign, form, found = read(saved((images()[:, 0], LABELS), tmp_path / "a.pt"))
    assert form == "pair" and torch.equal(foreign.images, images())
    assert "images have no channel axis, and got one" in found


def test_a_huge_number_is_told_in_a_few_digits(tmp_path: Path) -> None:
    path = saved((images().double().abs() * 1e300, LABELS), tmp_path / "a.pt")
    with pytest.raises(BadInput, match=r"values reach from \S{1,9} to \S{1,9}: divide by 255"):
        read(path)


def pictures(folder: Path) -> Path:
    for number, (image, label) in enumerate(zip(BYTES, LABELS.tolist(), strict=True)):
        path = folder / "pictures" / str(label) / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image[0].to(torch.uint8).numpy()).save(path)
    return folder / "pictures"


def eight_bit(folder: Path) -> Path:
    np.savez(folder / "arrays.npz", x_train=BYTES.to(torch.uint8).movedim(1, 3).numpy(), y_train=LABELS.numpy())
    return folder / "arrays.npz"


WAYS: list[Callable[[Path], Path]] = [
    lambda folder: saved((PIXELS, LABELS), folder / "pair.pt"),
    lambda folder: saved({"images": PIXELS.double(), "labels": ONE_HOT}, folder / "dictionary.pt"),
    lambda folder: trajectory(folder / "files", "", images=PIXELS[:, 0], labels=LABELS.float()),
    eight_bit,
    pictures,
]


def test_the_same_tensors_are_one_artifact_however_they_came(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    own = session.import_tensors(PIXELS, LABELS, "digits")
    for write in WAYS:
        (made,), _ = session.import_sets(write(tmp_path), "digits")
        assert (made.artifact, made.cached, made.name) == (own.artifact, True, own.name)
    assert_named(session, tmp_path, own)


def assert_named(session: Session, folder: Path, own: ImportedSet) -> None:
    """A set that is named later has that name, and keeps it when it comes again without one."""
    (named,), _ = session.import_sets(WAYS[0](folder), "digits", ImportOptions(method="my-set"))
    assert named.artifact == own.artifact and named.name == f"my-set-digits-2ipc-{own.artifact[:6]}"
    assert session.import_tensors(PIXELS, LABELS, "digits").name == named.name
    for text in ("my-set", named.name, own.artifact[:8]):
        assert session.store.resolve_artifact(text, "distilled") == own.artifact
    other = session.import_tensors(PIXELS.flip(0), LABELS, "digits")
    assert other.artifact != own.artifact
    (_,), _ = session.import_sets(
        saved((PIXELS.flip(0), LABELS), folder / "b.pt"), "digits", ImportOptions(method="my-set")
    )
    with pytest.raises(BadInput, match=r"the beginning of several artifacts: write more of it \(my-set-digits"):
        session.store.resolve_artifact("my-set", "distilled")
    session.close()
