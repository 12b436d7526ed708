from __future__ import annotations

import io
import os
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign_files import INFO, LABELS, Foreigner, images, results, saved, trajectory
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.errors import BadInput
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import read_sets

PIXELS = images().sigmoid()


def result_with(entry: Any) -> Callable[[Path], Path]:
    return lambda folder: saved({"data": [[images(), LABELS], entry]}, folder / "res_DC_digits_ConvNet_2ipc.pt")


def arrays(**named: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        np.savez(folder / "a.npz", **named)
        return folder / "a.npz"

    return write


def content(name: str, data: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return write


def without(path: Path, name: str) -> Path:
    path.with_name(name).unlink() if path.is_file() else (path / name).unlink()
    return path


def npy_header(shape: tuple[int, ...]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def cut(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[:-200])
    return path


def npy_pair(folder: Path, labels: Any) -> Path:
    np.save(folder / "images.npy", images().numpy())
    np.save(folder / "labels.npy", labels)
    return folder / "images.npy"


NAN = images().clone()
NAN[3, 0, 2, 2] = float("nan")
WIDE = torch.zeros(20, 20) + torch.nn.functional.one_hot(LABELS, 20)

REFUSED: list[tuple[Callable[[Path], Path], str]] = [
    (lambda f: f / "absent.pt", "is not there"),
    (content("a.pt", b""), "is empty"),
    (content("a.npz", b""), "is empty"),
    (content("a.pt", b"PK rubbish"), "cut short, damaged"),
    (content("a.npz", b"PK rubbish"), "cut short, damaged"),
    (content("images.npy", b"rubbish"), "labels.npy is missing"),
    (content("a.txt", b"rubbish"), "no known format"),
    (lambda f: f, "no known format"),
    (lambda f: saved({"a": 1}, f / "a.pt"), "no known format"),
    (lambda f: saved(images(), f / "a.pt"), "no known format"),
    (lambda f: saved({"data": Foreigner(os.system, "true")}, f / "a.pt"), "asks for (posix|nt).system"),
    (lambda f: cut(results(f)), "cut short"),
    (lambda f: cut(arrays(x=images(), y=LABELS)(f)), "cut short"),
    (lambda f: cut(npy_pair(f, LABELS)), "cut short"),
    (lambda f: npy_pair(f, np.array(["a"] * 20)), "holds <U1, not numbers"),
    (lambda f: npy_pair(f, np.array([{}] * 20)), r"holds \|O, not numbers"),
    (result_with(3), "experiment 1 is not a pair"),
    (lambda f: saved((images().int(), LABELS), f / "pair.pt"), "not floats"),
    (result_with([images(), 3]), "experiment 1 is not a pair"),
    (
        result_with([images()[:, :, :4], LABELS]),
        r"images \(20, 1, 4, 8\) .* an image there is \(1, 8, 8\)",
    ),
    (result_with([images().expand(-1, 3, -1, -1).clone(), LABELS]), "do not fit digits"),
    (result_with([images().flatten(1), LABELS]), "do not fit digits"),
    (result_with([images()[:19], LABELS]), "there are 19 images and 20 labels: one label per image is needed"),
    (result_with([images()[:0], LABELS[:0]]), "no images"),
    (result_with([images().to(torch.int32), LABELS]), "not floats: divide"),
    (result_with([NAN, LABELS]), "NaN or infinite"),
    (result_with([images() / 0, LABELS]), "NaN or infinite"),
    (result_with([images(), LABELS + 1]), "labels reach from 1 to 10: digits has 0 to 9"),
    (result_with([images(), LABELS - 1]), "labels reach from -1"),
    (result_with([images(), LABELS // 2]), "labels name only 5 of the 10 classes of digits"),
    (result_with([images(), LABELS + 0.5]), "not whole numbers"),
    (result_with([images(), LABELS.view(2, 10)]), r"labels \(2, 10\)"),
    (result_with([images(), WIDE]), "soft labels speak of 20 classes: digits has 10"),
    (lambda f: without(trajectory(f), "labels_best.pt"), "labels_best.pt is missing"),
    (lambda f: without(trajectory(f) / "labels_best.pt", "images_best.pt"), "images_best.pt is missing"),
    (lambda f: trajectory(trajectory(f, "_best_0"), "_best_2"), r"\[0, 2\], so at least one is missing"),
    (lambda f: trajectory(f, lr=torch.tensor([0.1, 0.2])), "one learning rate above 0"),
    (lambda f: trajectory(f, lr=torch.tensor(-1.0)), "one learning rate above 0"),
    (lambda f: trajectory(f, images={"a": 1}), "holds a dict where a tensor is expected"),
    (lambda f: trajectory(f, images=PIXELS * 255), "divide by 255 first"),
    (lambda f: saved(images(), f / "DIGITS_IPC2_images.pt"), "DIGITS_IPC2_labels.pt is missing"),
    (lambda f: saved((images(), LABELS), f / "data_best.pt"), "say --format pair"),
    (content("acc_0.6.pkl", b"\x80\x04."), "cut short, damaged or no pickle"),
    (arrays(x=images()), "no known format"),
    (arrays(images=images(), labels=np.array([object()] * 20)), r"holds \|O, not numbers"),
    (arrays(images=torch.stack([images()] * 3), labels=torch.stack([LABELS] * 2)), "number of experiments"),
    (content("X.npy", npy_header((10**6, 10**6))), "y.npy is missing"),
]


@pytest.mark.parametrize(("write", "words"), REFUSED)
def test_what_cannot_be_imported_is_refused_with_one_sentence(
    tmp_path: Path, write: Callable[[Path], Path], words: str
) -> None:
    path = write(tmp_path)
    with pytest.raises(BadInput, match=words) as refused:
        read_sets(path, INFO, "digits", ImportOptions())
    assert "\n" not in str(refused.value)


def test_a_header_that_declares_a_terabyte_takes_no_memory(tmp_path: Path) -> None:
    npy_pair(tmp_path, LABELS)
    (tmp_path / "images.npy").write_bytes(npy_header((10**6, 10**6)))
    with pytest.raises(BadInput, match="cut short"):
        read_sets(tmp_path / "images.npy", INFO, "digits", ImportOptions())


def test_an_archive_of_zeros_is_not_unpacked(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", images=np.zeros((2000, 1, 64, 64), np.float32), labels=np.zeros(2000))
    with pytest.raises(BadInput, match="claim to unpack to"):
        read_sets(tmp_path / "a.npz", INFO, "digits", ImportOptions())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (ImportOptions(form="result"), "unknown format 'result'; did you mean 'results'"),
        (ImportOptions(form="kip"), "but images and labels are needed"),
        (ImportOptions(form="npy"), "is not a .npy file"),
        (ImportOptions(form="idm"), "cut short, damaged or no pickle"),
        (ImportOptions(form="dd"), "is not a list whose last entry"),
        (ImportOptions(form="idc"), "is not a pair of images and labels"),
        (ImportOptions(form="chosen"), "is not called"),
        (ImportOptions(form="trajectory"), "holds no images_best.pt"),
        (ImportOptions(space="pixels"), "so they are not pixels"),
        (ImportOptions(mean=(0.5,)), "mean and std go together"),
        (ImportOptions(space="zca", mean=(0.5,), std=(0.5,)), "only with images that are normalised"),
        (ImportOptions(mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5)), "not one number for each of the 1 channels"),
        (ImportOptions(mean=(0.5,), std=(0.0,)), "every number must be above 0"),
        (ImportOptions(experiment=1), "has no experiment 1: it holds 1"),
        (ImportOptions(experiment=-2), "has no experiment -2"),
        (ImportOptions(labels=Path("nowhere")), "epoch_0"),
    ],
)
def test_options_that_a_file_cannot_satisfy_are_refused(tmp_path: Path, options: ImportOptions, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_sets(results(tmp_path), INFO, "digits", options)
    assert len(read_sets(results(tmp_path), INFO, "digits", ImportOptions()).sets) == 1


def test_uneven_classes_are_taken_and_said(tmp_path: Path) -> None:
    path = saved({"data": [[images()[:19], LABELS[:19]]]}, tmp_path / "res_DC_digits_ConvNet_2ipc.pt")
    assert "classes are uneven: 1 to 2 images each" in read_sets(path, INFO, "digits", ImportOptions()).found


@given(st.data())
def test_damaged_files_are_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write = data.draw(st.sampled_from([results, idm, arrays(x=images(), y=LABELS), lambda f: npy_pair(f, LABELS)]))
        path = write(folder)
        damaged = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
        kept = data.draw(st.just(len(damaged)) | st.integers(1, len(damaged)))
        path.write_bytes(damaged[:kept])
        try:
            read_sets(path, INFO, "digits", ImportOptions())
        except BadInput as error:
            assert "\n" not in str(error)


def idm(folder: Path) -> Path:
    return content("acc_0.6.pkl", pickle.dumps((images(), LABELS)))(folder)
