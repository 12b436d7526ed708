from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from recordings import CLASSES, COUNT, EACH, SIZE, Mix, Recording, record
from torch import Tensor

from stillproof.core.components import recipes
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, CellFailed
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, DataInfo, Distilled, PerEpoch, Space
from stillproof.image_finder import artifact_request
from stillproof.importers.fkd import draw_order, with_recorded_labels
from stillproof.importers.foreign_set import ForeignSet
from stillproof.importers.image_folders import SRE2L
from stillproof.importers.import_options import ImportOptions
from stillproof.nets.body import Body
from stillproof.session import Session
from stillproof.sets.artifact import card_of, from_artifact, tensors_of
from stillproof.store.store import open_store
from stillproof.train.data import from_distilled
from stillproof.train.model import TrainedModel
from stillproof.train.passes import Passes
from stillproof.train.training import Training
from stillproof.transforms.space import make_front

INFO = DataInfo("pets", 3, SIZE, CLASSES, (0.4, 0.5, 0.6), (0.2, 0.25, 0.3), "none needed")


def imported(made: Recording, **options: int) -> ForeignSet:
    (pictures,) = SRE2L.read(made.pictures, INFO)
    return with_recorded_labels(pictures, made.labels, INFO, **options)


def recorded(found: ForeignSet) -> PerEpoch:
    assert isinstance(found.labels, PerEpoch)
    return found.labels


def as_set(found: ForeignSet) -> Distilled:
    card = Card("sre2l", 1, {}, "pets", "pets/train@x", EACH, 0, "none", "none", 0)
    return Distilled(found.images, found.labels, CLASSES, Space("pixels"), card)


@pytest.mark.parametrize("mix", ["none", "mixup", "cutmix"])
def test_a_replay_shows_what_the_teacher_saw_with_what_it_said(mix: Mix, tmp_path: Path) -> None:
    made = record(tmp_path, mix)
    front = make_front(Space.normalised(INFO))
    data = from_distilled(as_set(imported(made)), front, "cpu")
    training = Training(TrainedModel(front, Body()), data, recipes.build("fkd:epochs=3"), Context(Seeds(0)))
    assert len(data) == COUNT
    for epoch in range(3):
        batches = list(Passes(training, "logits").batches(epoch, Seeds(0)))
        assert [len(batch) for batch in batches] == [4, 4, 4, 3]
        for batch, seen, said in zip(batches, made.seen[epoch], made.logits[epoch], strict=True):
            # Pillow rounds to whole numbers after each of its two passes, which the replay does not.
            torch.testing.assert_close(front.inverse(batch.images), seen, rtol=0, atol=1.01 / 255)
            assert batch.targets.dtype == torch.float32
            assert torch.equal(batch.targets, said.float())


@pytest.mark.parametrize("with_index", [False, True])
def test_the_order_is_the_recorded_one(with_index: bool, tmp_path: Path) -> None:
    made = record(tmp_path, with_index=with_index)
    found = imported(made)
    assert recorded(found).order.tolist() == [[i for batch in epoch for i in batch] for epoch in made.order]
    said = found.found[-1]
    assert said == "the order of the images is recorded" if with_index else "drawn from seed 42" in said


def test_an_order_that_was_drawn_as_old_versions_of_torch_do_is_found_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = iter(draw_order(COUNT, 3, seed=42, draws=1).tolist())
    monkeypatch.setattr("torch.utils.data.RandomSampler.__iter__", lambda self: iter(next(orders)))
    made = record(tmp_path)
    assert recorded(imported(made)).order.tolist() == draw_order(COUNT, 3, seed=42, draws=1).tolist()
    assert draw_order(COUNT, 3, 42, 1).tolist() != draw_order(COUNT, 3, 42, 2).tolist()


def test_another_seed_must_be_given_and_is_then_right(tmp_path: Path) -> None:
    made = record(tmp_path, seed=7)
    with pytest.raises(BadInput, match="do not fit the pictures in the order of seed 42"):
        imported(made)
    order = recorded(imported(made, order_seed=7)).order.tolist()
    assert order == [[i for batch in epoch for i in batch] for epoch in made.order]


def test_the_recipe_is_that_of_the_recording(tmp_path: Path) -> None:
    found = imported(record(tmp_path, epochs=2))
    assert (found.recipe, dict(found.recipe_params)) == ("fkd", {"epochs": 2, "batch": 4})
    assert [file.name for file in found.files[COUNT:]] == [f"batch_{b}.tar" for b in range(4)] * 2


def test_recorded_labels_come_back_from_an_artifact(tmp_path: Path) -> None:
    made = as_set(imported(record(tmp_path, "mixup")))
    with open_store(str(tmp_path / "s.db")) as store:
        stored = store.artifacts.read(store.artifacts.write("distilled", tensors_of(made), card_of(made)))
    back = from_artifact(stored.tensors, stored.card).labels
    assert isinstance(back, PerEpoch) and isinstance(made.labels, PerEpoch)
    for field in dataclasses.fields(PerEpoch):
        one, other = getattr(back, field.name), getattr(made.labels, field.name)
        assert one == other if field.name == "batch" else (one.dtype == other.dtype and torch.equal(one, other))


def put(place: int, value: object) -> Callable[[list[Any]], list[Any]]:
    return lambda batch: [value if number == place else part for number, part in enumerate(batch)]


def changed(place: int, change: Callable[[Tensor], object]) -> Callable[[list[Any]], list[Any]]:
    return lambda batch: [change(part) if number == place else part for number, part in enumerate(batch)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda batch: batch[:5], "a list of coords"),
        (lambda batch: {"logits": batch[5]}, "a list of coords"),
        (put(0, "here"), "not a recorded batch"),
        (changed(0, lambda coords: coords[:, :3]), r"coords has shape \(4, 3\)"),
        (changed(0, lambda coords: coords + 0.5), "crops leave the image"),
        (changed(1, lambda flip: flip[:2]), "flip has shape"),
        (changed(2, lambda index: index + 1), "leads out of the batch"),
        (put(4, [0, 0, 9, 9]), "leaves the 8 pixels"),
        (put(4, [0, 0]), "mix_bbox"),
        (changed(5, lambda logits: logits * float("nan")), "not finite"),
        (changed(5, lambda logits: torch.cat([logits, logits], 1)), r"logits has shape \(4, 6\)"),
    ],
)
def test_a_batch_that_cannot_be_replayed_is_refused_and_named(
    change: Callable[[list[Any]], list[Any]], said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=said) as error:
        imported(record(tmp_path, change=change, epochs=1))
    assert "batch_0.tar" in str(error.value)


def test_an_incomplete_recording_is_refused(tmp_path: Path) -> None:
    made = record(tmp_path)
    (made.labels / "epoch_1" / "batch_2.tar").unlink()
    with pytest.raises(BadInput, match=r"batch_2.tar is missing"):
        imported(made)
    (made.labels / "epoch_1").rename(made.labels / "epoch_5")
    with pytest.raises(BadInput, match="no folder epoch_1"):
        imported(made)
    (made.labels / "epoch_0").rename(made.labels / "epoch_6")
    with pytest.raises(BadInput, match="holds no folder epoch_0"):
        imported(made)


def test_a_recording_of_fewer_pictures_is_refused(tmp_path: Path) -> None:
    made = record(tmp_path)
    (made.labels / "epoch_1" / "batch_3.tar").unlink()
    with pytest.raises(BadInput, match="epoch_1 holds labels of 12 images, but there are 15 pictures"):
        imported(made)


def test_a_recorded_order_must_name_every_picture_once(tmp_path: Path) -> None:
    made = record(tmp_path, with_index=True, change=changed(6, lambda index: index * 0))
    with pytest.raises(BadInput, match="does not label every picture once"):
        imported(made)


def own_data(root: Path, pictures: Path) -> str:
    """Take the pictures themselves for both parts of the real data set, and name it."""
    for part in ("train", "test"):
        shutil.copytree(pictures, root / part)
    return f"image_folder:path={root}:size=8:allow_test_images=true"


def test_recorded_labels_are_imported_beside_pictures_and_replayed_by_their_own_recipe(tmp_path: Path) -> None:
    made = record(tmp_path, seed=7)
    dataset = own_data(tmp_path / "real", made.pictures)
    session = Session(str(tmp_path / "s.db"))
    with session.store as store:
        with pytest.raises(BadInput, match="seed 42"):
            session.import_sets(made.pictures, dataset, ImportOptions(labels=made.labels))
        assert store.results.counts() == {}
        (one,), found = session.import_sets(made.pictures, dataset, ImportOptions(labels=made.labels, labels_seed=7))
        assert "labels of 3 epochs were recorded, in batches of 4" in found
        assert set(one.recipe.split(":")) >= {"fkd", "epochs=3", "batch=4"}
        assert one.name == f"own-real-5ipc-{one.artifact[:6]}", "a name that can stand in a list of methods"
        # Images and classes; of each label order, crop, flip, partner and three logits; of each batch share and box.
        expected = COUNT * (3 * 64 * 4 + 8) + 3 * COUNT * (4 + 16 + 1 + 4 + 6) + 3 * 4 * (4 + 16)
        assert one.distilled.card.bytes == expected
        request, _ = artifact_request(store, one.artifact)
        score = session.train(request, network="convnet-1:width=4", seeds=1)
        assert set(score.recipe.split(":")) == {"fkd", "epochs=3", "batch=4"}
        assert score.n_test == COUNT
        with pytest.raises((BadInput, CellFailed), match="use at most epochs=3"):
            session.train(request, network="convnet-1:width=4", seeds=1, recipe="fkd:epochs=4")
