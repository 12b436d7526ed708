from __future__ import annotations

import dataclasses

import pytest
import torch
from torch import Tensor

from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.labels import KINDS, Hard, Labels, PerEpoch, Stored, Taught, labels_from
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Distilled, Space
from stillproof.core.weight import Weight, weight_of
from stillproof.sets.artifact import card_of, tensors_of
from stillproof.store.artifact_files import seal
from stillproof.testing.toy import TOY, toy_images

CLASSES = torch.tensor([0, 0, 1, 1, 2, 2])
SOFT = torch.arange(18.0).reshape(6, 3)
COUNT, EPOCHS = 6, 2


def recording() -> PerEpoch:
    return PerEpoch(
        values=CLASSES,
        order=torch.arange(COUNT).repeat(EPOCHS, 1).int(),
        coords=torch.tensor([0.0, 0.0, 1.0, 1.0]).repeat(EPOCHS, COUNT, 1),
        flip=torch.zeros(EPOCHS, COUNT, dtype=torch.bool),
        mix_index=torch.zeros(EPOCHS, COUNT, dtype=torch.int32),
        mix_lambda=torch.ones(EPOCHS, 2),
        mix_box=torch.zeros(EPOCHS, 2, 4, dtype=torch.int32),
        logits=torch.ones(EPOCHS, COUNT, 3).half(),
        batch=4,
    )


# Of each recorded label: order, crop, flip, partner and three half-precision logits; of each batch: share and box.
RECORDED_BYTES = EPOCHS * COUNT * (4 + 16 + 1 + 4 + 6) + EPOCHS * 2 * (4 + 16)
RECORDED_NAMES = {f"labels.{name}" for name in "order coords flip mix_index mix_lambda mix_box logits".split()}  # noqa: SIM905

EVERY_KIND: list[Labels] = [
    Hard(CLASSES),
    Stored("logits", SOFT),
    Stored("probs", SOFT),
    Stored("centred", SOFT),
    recording(),
    Taught(CLASSES, ["ab" * 32, "cd" * 32], 5000, "`stillproof train toy`"),
]
kinds = pytest.mark.parametrize("labels", EVERY_KIND, ids=lambda labels: str(labels.card()["labels"]))


def a_set(labels: Labels) -> Distilled:
    card = Card("dm", 1, {}, "toy", "toy/train@x", 2, 0, "convnet-3", "free", 0)
    return Distilled(torch.ones(COUNT, 1, 8, 8), labels, 3, Space.normalised(TOY), card)


@kinds
def test_labels_come_back_from_their_tensors_and_their_card(labels: Labels) -> None:
    back = labels_from(labels.tensors(), labels.card())
    assert type(back) is type(labels) and back.card() == labels.card()
    for field in dataclasses.fields(labels):
        one, other = getattr(labels, field.name), getattr(back, field.name)
        assert torch.equal(one, other) if isinstance(one, Tensor) else one == other


@kinds
def test_every_tensor_of_a_kind_is_stored_counted_and_moved(labels: Labels) -> None:
    parts = [getattr(labels, field.name) for field in dataclasses.fields(labels)]
    tensors = [part for part in parts if isinstance(part, Tensor)]
    assert len(labels.tensors()) == len(tensors)
    assert labels.bytes == sum(tensor.nbytes for tensor in tensors)
    moved = labels.to("meta")
    assert {tensor.device.type for tensor in moved.tensors().values()} == {"meta"}
    assert moved.card() == labels.card() and moved.tensors().keys() == labels.tensors().keys()


@pytest.mark.parametrize(
    ("labels", "sealed"),
    [
        (EVERY_KIND[0], "8d9188e6787a"),
        (EVERY_KIND[1], "e8eed0fe0b21"),
        (EVERY_KIND[4], "51f206294183"),
    ],
    ids=["hard", "logits", "per-epoch"],
)
def test_artifacts_of_earlier_versions_keep_their_names(labels: Labels, sealed: str) -> None:
    made = a_set(labels)
    assert seal("distilled", tensors_of(made), card_of(made), ())[0].startswith(sealed)


def test_names_and_keys_are_those_of_files_that_people_have() -> None:
    assert Hard(CLASSES).card() == {"labels": "hard"} and Hard(CLASSES).tensors().keys() == {"labels"}
    assert Stored("centred", SOFT).card() == {"labels": "centred"}
    assert Stored("centred", SOFT).tensors().keys() == {"labels"}
    assert recording().card() == {"labels": "per-epoch", "labels_batch": 4}
    assert recording().tensors().keys() == {"labels"} | RECORDED_NAMES


def test_no_two_kinds_share_a_word() -> None:
    words = [word for kind in KINDS for word in kind.words]
    assert len(words) == len(set(words))


def test_a_kind_of_a_later_version_is_refused() -> None:
    with pytest.raises(BadInput, match="labels of the kind 'spoken'"):
        labels_from({"labels": CLASSES}, {"labels": "spoken"})


def test_the_class_of_a_soft_label_is_its_largest_entry() -> None:
    assert Stored("logits", SOFT.roll(1, 1)).classes.tolist() == [0] * COUNT
    assert torch.equal(Hard(CLASSES).classes, CLASSES) and torch.equal(recording().classes, CLASSES)
    assert Hard(CLASSES).soft is None and recording().soft is not None


def test_a_set_with_recorded_labels_has_their_logits_in_its_bytes() -> None:
    card = Card("dm", 1, {}, "toy", "toy/train@x", 2, 0, "convnet-3", "free", 0)
    ctx = Context(Seeds(0), card=card)
    made = ctx.distilled(torch.zeros(COUNT, 1, 8, 8), recording(), toy_images())
    assert made.card.bytes == COUNT * (64 * 4 + 8) + RECORDED_BYTES
    assert isinstance(made.labels, PerEpoch) and torch.equal(made.labels.logits, recording().logits)


def test_a_taught_set_weighs_as_much_as_all_that_training_on_it_needs() -> None:
    card = Card("dm", 1, {}, "toy", "toy/train@x", 2, 0, "convnet-3", "free", 0)
    made = Context(Seeds(0), card=card).distilled(torch.zeros(COUNT, 1, 8, 8), EVERY_KIND[-1], toy_images())
    weight = weight_of(made.images, made.labels)
    assert weight == Weight(images=COUNT * 256, labels=COUNT * 8, teachers=5000)
    assert made.card.bytes == weight.total == 6584
    assert str(weight) == "6584 bytes (images 1536, labels 48, teachers 5000)"


def test_a_method_without_teachers_cannot_name_them() -> None:
    with pytest.raises(BadInput, match=r"no teachers to give labels: declare teachers=TrainedBefore\("):
        Context(Seeds(0)).taught(CLASSES)
