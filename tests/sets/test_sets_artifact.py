from __future__ import annotations

import io
from pathlib import Path

import pytest
import torch
from PIL import Image

from stillproof.core.errors import BadInput
from stillproof.core.types import Card, Distilled, Hard, Labels, Space, Stored
from stillproof.image_finder import artifact_request, export_set
from stillproof.session import Session
from stillproof.sets.artifact import card_of, extra_files, from_artifact, tensors_of
from stillproof.store.store import open_store
from stillproof.testing.toy import TOY
from stillproof.transforms.space import make_front


def a_set(labels: Labels) -> Distilled:
    card = Card("dm", 1, {"steps": 3}, "toy", "toy/train@x", 2, 0, "convnet-3", "free", 1536 + labels.bytes)
    return Distilled(torch.randn(6, 1, 8, 8), labels, 3, Space.normalised(TOY), card)


@pytest.mark.parametrize(
    "labels",
    [Hard(torch.tensor([0, 0, 1, 1, 2, 2])), Stored("logits", torch.randn(6, 3)), Stored("centred", torch.randn(6, 3))],
)
def test_a_set_comes_back_as_it_was(labels: Labels, tmp_path: Path) -> None:
    made = a_set(labels)
    with open_store(str(tmp_path / "s.db")) as store:
        artifact = store.artifacts.write("distilled", tensors_of(made), card_of(made))
        stored = store.artifacts.read(artifact)
    back = from_artifact(stored.tensors, stored.card)
    assert torch.equal(back.images, made.images)
    assert torch.equal(back.labels.values, labels.values)
    assert type(back.labels) is type(labels)
    assert back.space == made.space
    assert back.card == made.card


def test_the_folder_explains_itself() -> None:
    made = a_set(Hard(torch.tensor([0, 0, 1, 1, 2, 2])))
    files = extra_files(made, make_front(made.space))
    assert b"1584 bytes (images 1536, labels 48)" in files["README.md"]
    picture = Image.open(io.BytesIO(files["preview.png"]))
    assert picture.height == 3 * 50 + 2  # 8 px images six times as large, with a gap


def test_something_else_is_no_distilled_set() -> None:
    with pytest.raises(BadInput, match="not a distilled set"):
        from_artifact({"weights": torch.zeros(1)}, {"network": "x"})


def test_whitened_sets_share_one_whitening_and_can_be_trained_on(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    small = "convnet-1:width=8"
    made = [session.distill("digits", "random:zca=true", 1, seed=seed, network=small) for seed in (0, 1)]
    plain = session.distill("digits", "random", 1, network=small)
    with session.store as store:
        cards = [store.artifacts.read(m.artifact).card for m in made]
        assert cards[0]["space"]["kind"] == "zca"
        assert cards[0]["space"]["ref"] == cards[1]["space"]["ref"]
        assert store.results.counts()["zca"] == {"done": 1}
        whitened = (made[0].path / "preview.png").read_bytes()
        shown, expected = (Image.open(io.BytesIO(b)) for b in (whitened, (plain.path / "preview.png").read_bytes()))
        difference = torch.tensor(list(shown.tobytes())) - torch.tensor(list(expected.tobytes()))
        assert int(difference.abs().max()) <= 1  # shown as pixels, up to rounding
        export_set(store, made[0].artifact, tmp_path / "out")
        request, _ = artifact_request(store, made[0].artifact)
        score = session.train(request, network=small, recipe="quick", seeds=1)
        assert score.accuracy.mean > 0.3  # ten classes: the test images went through the same whitening
    elsewhere = Session(str(tmp_path / "other.db"))
    with elsewhere.store as store:
        request, _ = artifact_request(store, str(tmp_path / "out"))
        again = elsewhere.train(request, network=small, recipe="quick", seeds=1)
    assert again.per_seed == score.per_seed  # the whitening came along
