from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign_files import INFO, LABELS, images, results, saved, trajectory

from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.types import Space
from stillproof.data.load import load
from stillproof.image_finder import artifact_request, export_set, is_foreign
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import ImportedSet
from stillproof.session import Session
from stillproof.sets.fronts import front_of
from stillproof.train.model import load_model, predict
from stillproof.transforms.zca import ZCA

NETWORK = "convnet-1:width=4"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(str(tmp_path / "s.db"), str(tmp_path / "no-data"))


def imported(session: Session, path: Path, **options: Any) -> ImportedSet:
    (made,), _ = session.import_sets(path, "digits", ImportOptions(**options))
    return made


def test_the_card_says_where_a_set_came_from(session: Session, tmp_path: Path) -> None:
    made = imported(session, results(tmp_path))
    card, stored = made.distilled.card, session.store.artifacts.read(made.artifact)
    assert made.name == f"DC-digits-2ipc-{made.artifact[:6]}"
    assert session.store.resolve_artifact(made.name, "distilled") == made.artifact
    assert (card.method, card.version, card.ipc, card.dataset, card.bytes) == (
        "DC",
        0,
        2,
        "digits",
        20 * 64 * 4 + 20 * 8,
    )
    origin = stored.card["provenance"]["imported"]
    assert card.params == {} and origin["format"] == made.form == "results" and len(origin["sha256"]) == 64
    assert origin["file"] == "res_DC_DIGITS_ConvNet_2ipc.pt"
    assert "/fit@" not in card.data_id and card.provenance and stored.card["recipe"] is None
    assert torch.equal(stored.tensors["images"], images()) and torch.equal(stored.tensors["labels"], LABELS)
    assert b"imported from" in (made.path / "README.md").read_bytes() and (made.path / "preview.png").is_file()


def test_the_same_file_gives_the_same_artifact(session: Session, tmp_path: Path) -> None:
    path = results(tmp_path)
    first, again = imported(session, path), imported(session, path)
    assert (first.artifact, first.cached, again.cached) == (again.artifact, False, True)


def test_all_experiments_are_sets_of_their_own_or_one_is_chosen(session: Session, tmp_path: Path) -> None:
    path = results(tmp_path, "DSA", experiments=3)
    made, found = session.import_sets(path, "digits")
    assert [one.name.rpartition("-")[0] for one in made] == [f"DSA-digits-2ipc-e{number}" for number in range(3)]
    assert "3 experiments, of which all are taken" in found
    last = imported(session, path, experiment=-1)
    assert (last.artifact, last.cached, last.experiment) == (made[2].artifact, True, 2)


def test_nothing_is_written_if_one_experiment_is_broken(session: Session, tmp_path: Path) -> None:
    path = saved({"data": [[images(), LABELS], [images() / 0, LABELS]]}, tmp_path / "a.pt")
    with pytest.raises(BadInput, match="NaN"):
        session.import_sets(path, "digits")
    assert not session.store.artifacts.root.exists()


@pytest.mark.parametrize(
    ("file", "dataset", "augment", "epochs"),
    [
        ("res_DC_MNIST_ConvNet_1ipc.pt", "mnist", "dc-aug", 1001),
        ("res_DC_MNIST_ConvNetBN_1ipc.pt", "mnist", "dc-aug(strategy=crop_noise)", 1001),
        ("res_DC_FashionMNIST_ConvNetBN_1ipc.pt", "fashion_mnist", "dc-aug(strategy=crop_noise)", 1001),
        ("res_DSA_MNIST_ConvNet_1ipc.pt", "mnist", "dsa(strategy=color_crop_cutout_scale_rotate)", 1001),
        ("res_DSA_FashionMNIST_ConvNet_1ipc.pt", "fashion_mnist", "dsa", 1001),
        ("res_BACON_MNIST_ConvNet_1ipc.pt", "mnist", "dsa", 1001),
        ("res_DataDAM_FashionMNIST_ConvNet_1ipc.pt", "fashion_mnist", "dsa", 1801),
    ],
)
def test_authors_recipes_follow_data_set_and_network(
    session: Session, tmp_path: Path, file: str, dataset: str, augment: str, epochs: int
) -> None:
    path = saved({"data": [[torch.randn(10, 1, 28, 28), torch.arange(10)]]}, tmp_path / file)
    (made,), _ = session.import_sets(path, dataset)
    recipe = made.distilled.recipe
    assert recipe is not None and (recipe.params["augment"], recipe.params["epochs"]) == (augment, epochs)
    assert recipe.params["batch"] == (64 if "DataDAM" in file else 256)


def test_a_learned_rate_and_labels_reach_the_training(session: Session, tmp_path: Path) -> None:
    trajectory(tmp_path / "set", labels=torch.randn(20, 10), lr=torch.tensor(0.03125))
    made = imported(session, tmp_path / "set")
    assert made.recipe == "dc-bench-dsa:lr=0.03125"
    request, card = artifact_request(session.store, made.name)
    assert card["recipe"]["params"]["lr"] == 0.03125 and card["labels"] == "logits"
    score = session.train(request, network=NETWORK, recipe="smoke", seeds=1)
    assert score.recipe == "smoke", "what is asked for comes first"


def test_training_uses_the_sets_own_recipe(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trajectory(tmp_path / "set", lr=torch.tensor(0.03125))
    request, _ = artifact_request(session.store, imported(session, tmp_path / "set").artifact)
    asked: list[str] = []

    def stop(planner: Any, **_: Any) -> Any:
        asked.extend(cell.where["recipe"] for cell in planner.cells.values() if cell.stage == "train")
        raise BadInput("enough")

    monkeypatch.setattr(session, "execute", stop)
    with pytest.raises(BadInput, match="enough"):
        session.train(request, network=NETWORK, seeds=1)
    assert asked == ["dc-bench-dsa:lr=0.03125"]


def test_uneven_and_packed_sets_count_their_real_images(session: Session, tmp_path: Path) -> None:
    path = saved({"data": [[images()[:19], LABELS[:19]]]}, tmp_path / "res_DC_digits_ConvNet_2ipc.pt")
    made = imported(session, path)
    assert made.distilled.card.ipc == 2
    assert artifact_request(session.store, made.artifact)[0].count == 19
    labels = torch.softmax(8 * torch.eye(10)[torch.arange(20) % 3], 1)
    soft = saved({"images": images(), "labels": labels}, tmp_path / "soft.pt")
    assert imported(session, soft).distilled.card.ipc == 2, "soft labels do not say whose an image is"
    packed = imported(session, results(tmp_path, "IDM"))
    assert artifact_request(session.store, packed.artifact)[0].count == 4 * 20


def test_own_constants_travel_with_the_set(session: Session, tmp_path: Path) -> None:
    made = imported(session, results(tmp_path), mean=(0.25,), std=(0.5,))
    assert (made.distilled.space.mean, made.distilled.space.std) == ((0.25,), (0.5,))
    usual = imported(session, results(tmp_path))
    assert (usual.distilled.space.mean, usual.distilled.space.std) == (INFO.mean, INFO.std)


def test_a_set_needs_no_data_unless_it_is_whitened(session: Session, tmp_path: Path) -> None:
    path = saved({"data": [[torch.randn(10, 1, 28, 28), torch.arange(10)]]}, tmp_path / "res_DC_MNIST_ConvNet_1ipc.pt")
    made, _ = session.import_sets(path, "mnist")
    with pytest.raises(DataMissing, match="data get mnist"):
        session.import_sets(path, "mnist", ImportOptions(space="zca"))
    assert [folder.name for folder in session.store.artifacts.root.glob("??/*")] == [made[0].artifact]


@pytest.mark.parametrize("variant", ["usual", "kip", "normalised"])
def test_whitened_sets_are_tested_on_images_whitened_alike(session: Session, tmp_path: Path, variant: str) -> None:
    data = load("digits", "train", Path())
    index = torch.cat([data.of_class(label)[:10] for label in range(10)])
    whitened = front_of(_space(session, variant), session.store)(data.read(index))
    if variant == "usual":
        trajectory(tmp_path / "mtt_zca", images=whitened, labels=data.labels[index])
        path = tmp_path / "mtt_zca"
    elif variant == "normalised":
        path = saved({"data": [[whitened, data.labels[index]]]}, tmp_path / "res_DataDAM_digits_ConvNet_10ipc.pt")
    else:
        centred = torch.nn.functional.one_hot(data.labels[index], 10) - 0.1
        path = tmp_path / "kip_digits_ConvNet_ssize100_zca_nol_noaug_ckpt1.npz"
        np.savez(path, images=whitened.movedim(1, 3).numpy(), labels=centred.numpy())
    made = imported(session, path, space="zca" if variant == "normalised" else "auto")
    assert made.distilled.space == _space(session, variant)
    request, _ = artifact_request(session.store, made.artifact)
    score = session.train(request, network="convnet-1:width=16", recipe="quick", seeds=1)
    assert score.accuracy.mean > 0.4  # of ten classes
    model = session.store.artifacts.read(score.models[0])
    front = front_of(_space(session, variant), session.store)
    assert model.card["space"]["ref"] == _space(session, variant).ref and isinstance(front, ZCA)
    test = load("digits", "test", Path())
    said = predict(load_model(model.tensors, model.card, "cpu", front), test, "cpu")
    assert float((said == test.labels).double().mean()) == score.accuracy.mean
    export_set(session.store, made.artifact, tmp_path / "out")
    elsewhere = Session(str(tmp_path / "other.db"))
    request, _ = artifact_request(elsewhere.store, str(tmp_path / "out"))
    again = elsewhere.train(request, network="convnet-1:width=16", recipe="quick", seeds=1)
    assert again.per_seed == score.per_seed  # the whitening came along


def _space(session: Session, variant: str) -> Space:
    return Space("zca", ref=session._whitening("digits", variant))


def test_only_files_that_need_importing_are_foreign(tmp_path: Path, session: Session) -> None:
    made = imported(session, results(tmp_path))
    (tmp_path / "own" / "train").mkdir(parents=True)
    foreign = [str(results(tmp_path)), str(trajectory(tmp_path / "set"))]
    assert [is_foreign(text) for text in foreign] == [True, True]
    assert not any(is_foreign(text) for text in ("digits", "absent", str(made.path), str(tmp_path / "own"), made.name))
