from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from foreign_files import INFO, LABELS, CudaTensor, images, results, saved, trajectory

from stillproof.core.types import Hard, Stored
from stillproof.importers.detect import IMPORTERS, detect, is_model
from stillproof.importers.foreign_set import ForeignSet

PIXELS = images().sigmoid()
LOGITS = torch.nn.functional.one_hot(LABELS, 10) * 3.0 + images()[:, 0, 0, :1]
CENTRED = torch.nn.functional.one_hot(LABELS, 10) - 0.1
CIFAR100 = dataclasses.replace(INFO, name="cifar100", channels=3, size=8)
COLOUR = torch.randn(20, 3, 8, 8, generator=torch.Generator().manual_seed(1))


def shards(folder: Path) -> Path:
    for number in range(2):
        part = slice(10 * number, 10 * number + 10)
        trajectory(folder, f"_best_{number}", images=images()[part], labels=LABELS[part])
    return folder


def chosen(folder: Path) -> Path:
    saved(LABELS.float(), folder / "Kmeans" / "DIGITS_IPC2_normalize_labels.pt")
    return saved(images(), folder / "Kmeans" / "DIGITS_IPC2_normalize_images.pt")


def chosen_labels(folder: Path) -> Path:
    return chosen(folder).with_name("DIGITS_IPC2_normalize_labels.pt")


def idm(folder: Path) -> Path:
    path = folder / "acc_0.67.pkl"
    path.write_bytes(pickle.dumps((CudaTensor(images()), LABELS)))
    return path


def kip(folder: Path, name: str = "kip_digits_ConvNet3_ssize20_nozca_nol_noaug_ckpt1000.npz") -> Path:
    np.savez(folder / name, images=images().movedim(1, 3).numpy(), labels=CENTRED.numpy())
    return folder / name


def npz(folder: Path) -> Path:
    np.savez_compressed(folder / "mine.npz", X=images().numpy(), Y=LABELS.numpy().astype(np.uint16))
    return folder / "mine.npz"


def npy(folder: Path) -> Path:
    np.save(folder / "y_condensed.npy", LABELS.numpy())
    np.save(folder / "X_condensed.npy", images()[:, 0].numpy().astype(">f4"))  # another byte order, no channel
    return folder / "X_condensed.npy"


FORMATS: list[tuple[Callable[[Path], Path], str, str, str]] = [
    (results, "results", "DC", "normalised"),
    (trajectory, "trajectory", "MTT", "normalised"),
    (lambda f: trajectory(f) / "images_best.pt", "trajectory", "MTT", "normalised"),
    (lambda f: trajectory(trajectory(f), "_4000") / "labels_4000.pt", "trajectory", "MTT", "normalised"),
    (lambda f: trajectory(f / "cifar_mtt", "") / "images.pt", "trajectory", "MTT", "normalised"),
    (lambda f: trajectory(f, ""), "pt", "own", "normalised"),
    (lambda f: trajectory(f, "_4000") / "labels_4000.pt", "pt", "own", "normalised"),
    (lambda f: trajectory(f, "", lr=torch.tensor(0.03)), "trajectory", "MTT", "normalised"),
    (lambda f: trajectory(f / "TESLA"), "trajectory", "TESLA", "normalised"),
    (lambda f: trajectory(f / "mtt_zca"), "trajectory", "MTT", "zca"),
    (lambda f: trajectory(f / "no_zca"), "trajectory", "MTT", "normalised"),
    (shards, "trajectory", "MTT", "normalised"),
    (chosen, "chosen", "k-center", "normalised"),
    (chosen_labels, "chosen", "k-center", "normalised"),
    (idm, "idm", "IDM", "normalised"),
    (lambda f: saved((PIXELS, LABELS), f / "data_best.pt"), "idc", "IDC", "pixels"),
    (lambda f: saved((PIXELS, LABELS), f / "dream" / "data.pt"), "idc", "DREAM", "pixels"),
    (lambda f: saved((images(), LABELS), f / "mine.PT"), "pair", "own", "normalised"),
    (
        lambda f: saved([[images(seed=1), LABELS], [images(), LABELS, 0.02]], f / "results.pth"),
        "dd",
        "DD",
        "normalised",
    ),
    (kip, "kip", "KIP", "normalised"),
    (lambda f: kip(f, "ConvNet_ssize20_zca_nol_x.npz"), "kip", "KIP", "zca"),
    (npz, "npz", "own", "normalised"),
    (npy, "npy", "own", "normalised"),
    (lambda f: npy(f).with_name("y_condensed.npy"), "npy", "own", "normalised"),
]


def only(path: Path) -> ForeignSet:
    (found,) = detect(path)[0].read(path, INFO)
    return found


@pytest.mark.parametrize(("write", "form", "method", "space"), FORMATS)
def test_every_format_is_recognised_and_read(
    tmp_path: Path, write: Callable[[Path], Path], form: str, method: str, space: str
) -> None:
    path = write(tmp_path)
    importer, why = detect(path)
    assert importer.name == form and form in why and not is_model(path)
    found = only(path)
    assert (found.method, found.space) == (method, space) and found.found
    assert torch.equal(found.images, PIXELS if form == "idc" else images())
    assert torch.equal(found.labels.values, LABELS if isinstance(found.labels, Hard) else CENTRED)
    assert found.decode == ("grid2x2" if form in ("idm", "idc") else "none")
    assert all(file.is_file() for file in found.files)


def test_every_format_has_a_name_of_its_own_and_is_in_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text(encoding="utf-8")
    names = [importer.name for importer in IMPORTERS]
    assert len(set(names)) == len(names)
    assert [name for name in [*names, "checkpoint"] if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("method", ["BACON", "bacon", "IDM"])
def test_packed_results_are_decoded_and_it_is_said(tmp_path: Path, method: str) -> None:
    found = only(results(tmp_path, method))
    assert found.decode == "grid2x2" and any("2 x 2" in sentence for sentence in found.found)
    assert found.recipe == "dc-bench-dsa"
    assert only(results(tmp_path)).recipe == "", "DC trains without augmentation"


def test_all_experiments_of_a_file_are_found(tmp_path: Path) -> None:
    path = results(tmp_path, "DSA", experiments=3)
    found = detect(path)[0].read(path, INFO)
    assert [torch.equal(one.images, images(seed=seed)) for seed, one in enumerate(found)] == [True] * 3
    np.savez(tmp_path / "a.npz", images=torch.stack([one.images for one in found]), labels=torch.stack([LABELS] * 3))
    again = detect(tmp_path / "a.npz")[0].read(tmp_path / "a.npz", INFO)
    assert [torch.equal(a.images, b.images) for a, b in zip(found, again, strict=True)] == [True] * 3


def test_a_file_of_another_data_set_is_suspected(tmp_path: Path) -> None:
    found = detect(results(tmp_path))[0].read(results(tmp_path), dataclasses.replace(INFO, name="mnist"))
    assert any("speaks of DIGITS, not of mnist" in sentence for sentence in found[0].found)
    assert not any("speaks of" in sentence for sentence in only(results(tmp_path)).found)


def test_learned_labels_and_rate_go_into_the_recipe(tmp_path: Path) -> None:
    found = only(trajectory(tmp_path, labels=LOGITS, lr=torch.tensor(0.03125)))
    assert (
        isinstance(found.labels, Stored) and found.labels.kind == "logits" and torch.equal(found.labels.values, LOGITS)
    )
    assert (found.method, found.recipe, found.recipe_params) == ("DATM", "dc-bench-dsa", {"lr": 0.03125})
    assert len(found.files) == 3


def test_images_for_looking_at_tell_of_whitening(tmp_path: Path) -> None:
    trajectory(tmp_path)
    assert only(tmp_path).space == "normalised"
    saved(images(), tmp_path / "images_zca_4000.pt")
    assert only(tmp_path).space == "zca"


def test_pixels_are_told_by_their_range(tmp_path: Path) -> None:
    found = only(trajectory(tmp_path, images=PIXELS))
    assert found.space == "pixels" and any("0.0" in s and "--space" in s for s in found.found)


def test_trajectories_of_cifar100_have_the_constants_of_cifar10(tmp_path: Path) -> None:
    labels = torch.arange(10).repeat(2)
    trajectory(tmp_path, images=COLOUR, labels=labels)
    (found,) = detect(tmp_path)[0].read(tmp_path, CIFAR100)
    assert found.mean == (0.4914, 0.4822, 0.4465) and found.std == (0.2023, 0.1994, 0.2010)


def test_idc_is_normalised_with_its_own_constants(tmp_path: Path) -> None:
    cifar10 = dataclasses.replace(CIFAR100, name="cifar10")
    path = saved((COLOUR.sigmoid(), LABELS), tmp_path / "data.pt")
    (found,) = detect(path)[0].read(path, cifar10)
    assert found.space == "normalised" and found.std == (0.2471, 0.2435, 0.2616)
    back = found.images * torch.tensor(found.std).view(1, 3, 1, 1) + torch.tensor(found.mean).view(1, 3, 1, 1)
    assert torch.allclose(back, COLOUR.sigmoid(), atol=1e-6)


def test_learned_labels_of_kip_are_trained_on_with_squared_error(tmp_path: Path) -> None:
    path = tmp_path / "kip_digits_ssize20_nozca_l_noaug.npz"
    np.savez(path, images=images().movedim(1, 3).numpy(), labels=CENTRED.numpy() * 1.5)
    assert only(path).recipe == "dc-bench:objective=mse:lr=0.1"
    assert only(kip(tmp_path)).recipe == ""


def test_probabilities_are_told_from_logits(tmp_path: Path) -> None:
    for values, kind in ((LOGITS.softmax(1), "probs"), (LOGITS, "logits"), (CENTRED, "centred")):
        np.savez(tmp_path / "a.npz", images=images().numpy(), labels=values.numpy())
        labels = only(tmp_path / "a.npz").labels
        assert isinstance(labels, Stored) and labels.kind == kind


def test_a_format_can_be_asked_for(tmp_path: Path) -> None:
    path = results(tmp_path)
    assert detect(path, "results")[1] == "format results, as asked for"
    assert is_model(path, "checkpoint") and not is_model(path, "results")
