"""Sets with other labels, and sets under noise."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
import torch

from stillproof.core.errors import BadInput, CellFailed
from stillproof.core.types import Distilled, Hard, PerEpoch, Stored, Taught
from stillproof.run.distilled_sets import keep_set
from stillproof.session import Session
from stillproof.sets.read import read_set
from stillproof.suites.requests import Request, distilled, real_images, stored_set, trained

TEACHER = trained(real_images("digits"), "convnet-1-bn:width=4", "smoke", 0)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("relabel") / "s.db")) as opened:
        yield opened


def random_set() -> Request:
    return distilled(real_images("digits"), "random", 2, 0)


def read(session: Session, request: Request) -> Distilled:
    return read_set(session.store, session.answer(request)["artifact"])


def relabelled(session: Session, labels: str, **more: object) -> Distilled:
    return read(session, Request("relabel", of=random_set(), labels=labels, **more))


def test_teachers_give_labels_and_are_weighed(session: Session) -> None:
    before, after = read(session, random_set()), relabelled(session, "taught", teachers=(TEACHER,))
    assert isinstance(after.labels, Taught) and len(after.labels.teachers) == 1
    assert torch.equal(after.images, before.images) and torch.equal(after.labels.classes, before.labels.classes)
    assert after.card.bytes == before.card.bytes + after.labels.teacher_bytes > before.card.bytes


def test_stored_labels_are_the_teachers_logits_for_the_plain_images(session: Session) -> None:
    after = relabelled(session, "stored", teachers=(TEACHER,))
    assert isinstance(after.labels, Stored) and after.labels.kind == "logits"
    curve = session.answer(TEACHER)
    model = session.store.artifacts.read(curve["models"][str(curve["epochs"][-1])])
    from stillproof.sets.fronts import front_of
    from stillproof.sets.teachers import load_stored

    pixels = front_of(after.space, session.store).inverse(after.images)
    with torch.no_grad():
        assert torch.allclose(load_stored(model, session.store, "cpu").eval()(pixels), after.labels.values, atol=1e-5)


def test_hard_labels_are_the_classes_and_a_set_that_has_them_stays_as_it_is(session: Session) -> None:
    plain = session.answer(random_set())
    soft = Request("relabel", of=random_set(), labels="taught", teachers=(TEACHER,))
    hard = read(session, Request("relabel", of=soft, labels="hard"))
    assert isinstance(hard.labels, Hard) and torch.equal(hard.labels.values, torch.arange(10).repeat_interleave(2))
    same = session.answer(Request("relabel", of=random_set(), labels="hard"))
    assert same["artifact"] == plain["artifact"]


def test_labels_like_those_of_another_set_have_its_teachers(session: Session) -> None:
    other = distilled(real_images("digits"), "k-center", 2, 0)
    taught = Request("relabel", of=other, labels="taught", teachers=(TEACHER,))
    after = relabelled(session, "like", like=taught)
    theirs = read(session, taught).labels
    assert isinstance(after.labels, Taught) and isinstance(theirs, Taught)
    assert list(after.labels.teachers) == list(theirs.teachers)
    assert isinstance(relabelled(session, "like", like=other).labels, Hard)
    stored = Request("relabel", of=other, labels="stored", teachers=(TEACHER,))
    assert isinstance(relabelled(session, "like", like=stored, teachers=(TEACHER,)).labels, Stored)
    with pytest.raises(CellFailed, match="names no teacher: name one"):
        relabelled(session, "like", like=stored)


def recorded(session: Session) -> Request:
    """A set whose labels were recorded in two passes over whole images."""
    plain = read(session, random_set())
    classes = plain.labels.classes
    labels = PerEpoch(
        values=classes,
        order=torch.stack([torch.arange(20), torch.arange(19, -1, -1)]).int(),
        coords=torch.tensor([0.0, 0.0, 1.0, 1.0]).repeat(2, 20, 1),
        flip=torch.zeros(2, 20, dtype=torch.bool),
        mix_index=torch.arange(20).repeat(2, 1).int(),
        mix_lambda=torch.ones(2, 1),
        mix_box=torch.zeros(2, 1, 4, dtype=torch.int32),
        logits=torch.zeros(2, 20, 10),
        batch=20,
    )
    kept = keep_set(session.store, dataclasses.replace(plain, labels=labels), "recorded", None, {})
    return stored_set(kept, "digits", count=20)


def test_one_label_per_image_is_not_the_like_of_recorded_ones(session: Session) -> None:
    with pytest.raises(CellFailed, match=r"recorded epoch by epoch.*teacher=MODEL"):
        relabelled(session, "like", like=recorded(session))


def test_recorded_labels_are_recorded_for_other_images_by_the_model_that_is_named(session: Session) -> None:
    curve = session.answer(TEACHER)
    model = Request("model", artifact=curve["models"][str(curve["epochs"][-1])])
    after = relabelled(session, "like", like=recorded(session), teachers=(model,))
    plain = relabelled(session, "stored", teachers=(TEACHER,)).labels
    assert isinstance(after.labels, PerEpoch) and isinstance(plain, Stored)
    assert torch.allclose(after.labels.logits[0], plain.values, atol=1e-4)
    assert torch.allclose(after.labels.logits[1], plain.values.flip(0), atol=1e-4)


def test_what_cannot_be_relabelled_is_refused(session: Session) -> None:
    with pytest.raises(BadInput, match="need at least one teacher"):
        relabelled(session, "taught")
    with pytest.raises(BadInput, match="need that set, and no others do"):
        relabelled(session, "like")
    with pytest.raises(BadInput, match="are real images"):
        session.answer(Request("relabel", of=real_images("digits"), labels="hard"))


def test_noise_has_its_strength_and_its_seed(session: Session) -> None:
    before = read(session, random_set())
    one, same, other = (
        read(session, Request("noisy", of=random_set(), std=2.0, seed=seed)).images for seed in (0, 0, 1)
    )
    assert torch.equal(one, same) and not torch.equal(one, other)
    assert float((one - before.images).std()) == pytest.approx(2.0, rel=0.1)
    none = session.answer(Request("noisy", of=random_set(), std=0.0))
    assert none["artifact"] == session.answer(random_set())["artifact"]


def test_noise_of_no_strength_at_all_is_refused(session: Session) -> None:
    for std in (-1.0, float("nan"), float("inf")):
        with pytest.raises(BadInput, match=r"std = .* is not allowed"):
            session.answer(Request("noisy", of=random_set(), std=std))


def test_pure_noise_looks_at_no_real_image(session: Session) -> None:
    made = read(session, distilled(real_images("digits"), "noise", 20, 0))
    assert float(made.images.mean()) == pytest.approx(0.0, abs=0.05)
    assert float(made.images.std()) == pytest.approx(1.0, abs=0.05)
