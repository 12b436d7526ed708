from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch

from commands import Commands
from stillproof import Session
from stillproof.core.errors import BadInput
from stillproof.core.labels import PerEpoch
from stillproof.core.types import Card, DataInfo, Distilled, Hard, Space, Stored, Taught
from stillproof.data.load import source
from stillproof.image_finder import artifact_request
from stillproof.importers.import_options import ImportOptions
from stillproof.sets.artifact import card_of, tensors_of
from stillproof.sets.read import check_fits
from stillproof.store.artifact_files import seal
from stillproof.store.store import open_store

INFO: DataInfo = source("digits").info
LABELS = torch.arange(10)
EPOCHS = 2


def own_set(**changes: Any) -> Distilled:
    card = Card("own", 1, {}, "digits", "unknown", 1, 0, "none", INFO.licence, 0)
    made = Distilled(torch.zeros(10, 1, 8, 8), Hard(LABELS), 10, Space.normalised(INFO), card)
    return dataclasses.replace(made, **changes)


def recorded(**changes: Any) -> PerEpoch:
    made = PerEpoch(
        values=LABELS,
        order=torch.stack([LABELS, LABELS.flip(0)]).int(),
        coords=torch.tensor([0.0, 0.0, 1.0, 1.0]).repeat(EPOCHS, 10, 1),
        flip=torch.zeros(EPOCHS, 10, dtype=torch.bool),
        mix_index=torch.zeros(EPOCHS, 10, dtype=torch.int32),
        mix_lambda=torch.ones(EPOCHS, 3),
        mix_box=torch.zeros(EPOCHS, 3, 4, dtype=torch.int32),
        logits=torch.zeros(EPOCHS, 10, 10),
        batch=4,
    )
    return dataclasses.replace(made, **changes)


def resealed(folder: Path, distilled: Distilled) -> Path:
    """Write a set as anybody can who has the library: with a seal that holds."""
    folder.mkdir()
    for name, data in seal("distilled", tensors_of(distilled), card_of(distilled), ())[1].items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize(
    "labels", [Hard(LABELS), Stored("logits", torch.eye(10)), recorded()], ids=["hard", "soft", "recorded"]
)
def test_a_sound_set_fits(labels: Any) -> None:
    check_fits(own_set(labels=labels), INFO)


NAN = torch.full((10, 1, 8, 8), float("nan"))
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"labels": Hard(LABELS[:5])}, r"images and 5 labels: one label per image is needed"),
    ({"labels": Hard(LABELS.where(LABELS > 0, -100))}, "labels reach from -100 to 9, and its card has 10"),
    ({"labels": Hard(LABELS + 1)}, "labels reach from 1 to 10"),
    ({"labels": Hard(LABELS.float())}, "not one class per image"),
    ({"labels": Hard(LABELS.view(10, 1))}, "not one class per image"),
    ({"labels": Stored("logits", torch.zeros(10, 9))}, "soft labels speak of 9 classes"),
    ({"labels": Stored("logits", torch.zeros(10, 10) / 0)}, "the labels have NaN"),
    ({"labels": Stored("logits", torch.zeros(10))}, "not logits labels"),
    ({"labels": Stored("probs", torch.full((10, 10), 0.2))}, "of image 0 adds up to 2: probabilities must add up to 1"),
    ({"labels": Stored("probs", 2 * torch.eye(10) - 0.1)}, "the probability -0.1: none may be below 0"),
    ({"images": NAN}, "the images have NaN"),
    ({"images": torch.full((10, 1, 8, 8), 1e300, dtype=torch.float64)}, "NaN or infinite"),
    ({"images": torch.zeros(0, 1, 8, 8), "labels": Hard(LABELS[:0])}, "no images"),
    ({"images": torch.zeros(10, 1, 9, 9)}, r"images \(1, 9, 9\)"),
    ({"images": torch.zeros(10, 1, 8, 8, dtype=torch.int32)}, "not floats"),
    ({"num_classes": 9}, "has 9 classes"),
    ({"decode": "grid3x3"}, "decode = 'grid3x3'"),
    ({"labels": Taught(LABELS, [], 0, "nobody")}, "from teachers, but the card names none"),
    ({"labels": recorded(batch=0)}, "batches of 0"),
    ({"labels": recorded(order=torch.zeros(EPOCHS, 10, dtype=torch.int32))}, "every image once"),
    ({"labels": recorded(mix_index=torch.full((EPOCHS, 10), 3, dtype=torch.int32))}, "out of their batches"),
    ({"labels": recorded(flip=torch.zeros(EPOCHS, 9, dtype=torch.bool))}, "not those of 10 images in 2 epochs"),
    ({"labels": recorded(mix_box=torch.zeros(EPOCHS, 2, 4, dtype=torch.int32))}, "not those of 10 images in 2 epochs"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_an_artifact_folder_that_nobody_could_train_on_is_refused_before_it_is_stored(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    folder = resealed(tmp_path / "set", own_set(**changes))
    with open_store(str(tmp_path / "s.db")) as store:
        with pytest.raises(BadInput, match=words) as refused:
            artifact_request(store, str(folder))
        assert "\n" not in str(refused.value)
        assert not list(store.artifacts.root.rglob("card.json"))


def test_train_says_so_with_its_exit_code(tmp_path: Path, stillproof: Commands) -> None:
    resealed(tmp_path / "set", own_set(labels=Hard(LABELS[:5])))
    done = stillproof("train", "set", "--store", "s.db", "--seeds", "1", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "images and 5 labels: one label per image is needed" in done.err and len(done.err.splitlines()) == 1


@pytest.mark.parametrize("value", [-1e300, -1e39])
def test_import_refuses_what_is_infinite_as_it_is_stored(tmp_path: Path, value: float) -> None:
    torch.save((torch.full((10, 1, 8, 8), value, dtype=torch.float64), LABELS), tmp_path / "a.pt")
    session = Session(str(tmp_path / "s.db"))
    with pytest.raises(BadInput, match="NaN or infinite"):
        session.import_sets(tmp_path / "a.pt", "digits", ImportOptions(space="normalised"))
