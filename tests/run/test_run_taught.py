"""Sets whose labels are what teachers say: made, weighed, trained on, carried elsewhere, and missed."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.needs import Needs, TrainedBefore
from stillproof.core.types import Distilled, ImageSet, Taught
from stillproof.data.load import source
from stillproof.image_finder import artifact_request, export_set
from stillproof.importers.import_options import ImportOptions
from stillproof.session import Session
from stillproof.sets.artifact import card_of, tensors_of
from stillproof.sets.read import read_set
from stillproof.sets.teachers import check_teacher
from stillproof.store.prune import prune
from stillproof.suites.requests import Request, real_images, stored_set, trained
from stillproof.testing.check_distiller import check_distiller

NETWORK, RECIPE = "convnet-1-bn:width=4", "teacher-quick:epochs=2"
STUDENT = "quick:epochs=2:objective=kl(temperature=4):augment=mixup"
COMMAND = f"`stillproof train digits --network {NETWORK} --recipe {RECIPE} --seeds 2`"


@dataclass(frozen=True)
class FirstTaught:
    """The first images of each class; two teachers give their labels."""

    zca: bool = False

    @property
    def needs(self) -> Needs:
        teachers = TrainedBefore(2, RECIPE, network=NETWORK)
        return Needs(network=False, whitening="usual" if self.zca else "", teachers=teachers)

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        index = torch.cat([data.of_class(label)[:ipc] for label in range(data.num_classes)])
        images = ctx.into_space(data.read(index, ctx.device))
        return ctx.distilled(images, ctx.taught(data.labels[index]), data, recipe=STUDENT)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    distillers.register("first-taught", version=1)(FirstTaught)
    yield
    distillers.remove(__name__)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def teachers_of(session: Session) -> list[str]:
    curves = [session.answer(trained(real_images("digits"), NETWORK, RECIPE, seed)) for seed in range(2)]
    return [curve["models"][str(curve["epochs"][-1])] for curve in curves]


def on(session: Session, artifact: str) -> Request:
    return stored_set(artifact, "digits", count=20)


def labels_of(session: Session, artifact: str) -> Taught:
    labels = read_set(session.store, artifact).labels
    assert isinstance(labels, Taught)
    return labels


@pytest.mark.parametrize("method", ["first-taught", "first-taught:zca=true"])
def test_a_set_names_its_teachers_weighs_them_and_is_trained_on(session: Session, method: str) -> None:
    made = session.distill("digits", method, 2)
    labels = labels_of(session, made.artifact)
    # The teachers are the models that the command trains: both are the same cells.
    assert list(labels.teachers) == teachers_of(session) and labels.made_by == COMMAND
    assert session.store.results.counts()["train"] == {"done": 2}
    size = sum(session.store.artifacts.tensors_bytes(teacher) or 0 for teacher in labels.teachers)
    assert made.weight.images == 20 * 256 and 0 < made.weight.teachers < size  # the files have headers
    assert made.result["bytes"] == made.weight.total
    readme = (made.path / "README.md").read_text()
    assert str(made.weight) in readme and COMMAND in readme
    score = session.train(on(session, made.artifact), seeds=1, network="convnet-1:width=4")
    assert 0 < score.accuracy.mean < 1 and score.recipe.endswith("objective=kl(temperature=4)")
    (cell,) = [cell for cell, spec in session.store.results.specs("train").items() if "artifact" in spec["upstream"]]
    record = session.store.results.get(cell)
    assert record is not None and record.provenance is not None and record.result is not None
    assert [note["compiled"] for note in record.result["notes"]["teachers"]] == [False, False]


def test_a_set_travels_with_its_teachers_and_says_so_where_they_are_missing(session: Session, tmp_path: Path) -> None:
    made = session.distill("digits", "first-taught", 1)
    export_set(session.store, made.artifact, tmp_path / "out")
    assert len(list(tmp_path.glob("out/teachers/*/card.json"))) == 2
    elsewhere = Session(str(tmp_path / "there.db"))
    request, _ = artifact_request(elsewhere.store, str(tmp_path / "out"))
    assert elsewhere.train(request, seeds=1, network="mlp:width=4").accuracy.n == 1
    elsewhere.close()
    shutil.rmtree(tmp_path / "out" / "teachers")
    alone = Session(str(tmp_path / "alone.db"))
    request, _ = artifact_request(alone.store, str(tmp_path / "out"))
    with pytest.raises(BadInput, match="which is not in this store: `stillproof train digits") as refused:
        alone.train(request, seeds=1)
    assert COMMAND in str(refused.value) and "\n" not in str(refused.value)
    alone.close()


def test_the_command_that_is_offered_makes_a_lost_teacher_again(session: Session) -> None:
    made = session.distill("digits", "first-taught", 1)
    lost = labels_of(session, made.artifact).teachers[0]
    shutil.rmtree(session.store.artifacts.folder(lost))
    with pytest.raises(BadInput, match=f"teacher {lost[:12]}, which is not in this store"):
        session.train(on(session, made.artifact), seeds=1, network="mlp:width=4")
    session.train(real_images("digits"), network=NETWORK, recipe=RECIPE, seeds=2)
    assert session.train(on(session, made.artifact), seeds=1, network="mlp:width=4").accuracy.n == 1


def test_teachers_of_other_data_are_refused() -> None:
    digits, mnist = source("digits").info, source("mnist").info
    with pytest.raises(BadInput, match="the teacher is of digits, and the set of mnist"):
        check_teacher({"info": dataclasses.asdict(digits)}, mnist)
    with pytest.raises(BadInput, match="the teacher knows 10 classes, and digits has 7"):
        check_teacher({"info": dataclasses.asdict(digits)}, dataclasses.replace(digits, num_classes=7))
    with pytest.raises(BadInput, match=r"the teacher sees images \(1, 8, 8\), and those of digits are \(1, 16, 16\)"):
        check_teacher({"info": dataclasses.asdict(digits)}, dataclasses.replace(digits, size=16))


def test_a_card_that_names_a_teacher_of_another_data_set_is_refused_before_training(session: Session) -> None:
    made = session.distill("digits", "first-taught", 1)
    distilled = read_set(session.store, made.artifact)
    assert isinstance(distilled.labels, Taught)
    found = session.store.artifacts.read(distilled.labels.teachers[0])
    card = found.card | {"info": found.card["info"] | {"name": "svhn"}}
    stranger = session.store.keep("model", found.tensors, card)
    labels = dataclasses.replace(distilled.labels, teachers=[stranger])
    forged = dataclasses.replace(distilled, labels=labels)
    artifact = session.store.keep("distilled", tensors_of(forged), card_of(forged))
    with pytest.raises(BadInput, match="the teacher is of svhn, and the set of digits"):
        session.train(on(session, artifact), seeds=1)


def test_an_imported_model_teaches_an_imported_set(session: Session, tmp_path: Path) -> None:
    (teacher, _) = teachers_of(session)
    torch.save(session.store.artifacts.read(teacher).tensors, tmp_path / "net.pt")
    torch.save((torch.rand(10, 1, 8, 8), torch.arange(10)), tmp_path / "set.pt")
    model = session.import_model(tmp_path / "net.pt", "digits")
    ((made,), found) = session.import_sets(tmp_path / "set.pt", "digits", ImportOptions(teachers=(model.name,)))
    labels = labels_of(session, made.artifact)
    assert list(labels.teachers) == [model.artifact] and labels.teacher_bytes == model.bytes
    assert labels.made_by == "`stillproof import net.pt --dataset digits`"
    assert found[-1] == f"labels are what model {model.artifact[:12]} will say of each batch, as asked for"
    assert session.train(on(session, made.artifact), seeds=1, network="mlp:width=4", recipe=STUDENT).accuracy.n == 1
    prune(session.store)
    assert session.store.artifacts.is_sound(model.artifact), "a set that is left needs it"
    torch.save((torch.rand(10, 1, 8, 8), torch.randn(10, 10)), tmp_path / "soft.pt")
    with pytest.raises(BadInput, match="soft labels of its own"):
        session.import_sets(tmp_path / "soft.pt", "digits", ImportOptions(teachers=(model.name,)))


def test_the_contract_knows_taught_labels() -> None:
    assert [result.problem for result in check_distiller("first-taught") if not result.ok] == []
