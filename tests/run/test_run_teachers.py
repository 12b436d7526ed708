"""A distiller may need models that other cells trained: whole ones, with the statistics of their norms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from stillproof.core.components import distillers
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.needs import Needs, TrainedBefore
from stillproof.core.types import Distilled, ImageSet, Stored
from stillproof.data.load import load
from stillproof.run.plan import Planner
from stillproof.run.stage import answer_of
from stillproof.session import Session
from stillproof.suites.requests import Request, distilled, real_images, trained
from stillproof.testing.check_distiller import check_distiller
from stillproof.train.model import load_model

TEACHER = "convnet-1-bn:width=4"


@dataclass(frozen=True)
class Taught:
    """The first images of each class, with what two teachers say of them on average."""

    zca: bool = False

    @property
    def needs(self) -> Needs:
        teachers = TrainedBefore(2, "smoke:batch=64", network=TEACHER)
        return Needs(network=False, whitening="usual" if self.zca else "", teachers=teachers)

    def distill(self, data: ImageSet, ipc: int, ctx: Context) -> Distilled:
        index = torch.cat([data.of_class(label)[:ipc] for label in range(data.num_classes)])
        pixels = data.read(index, ctx.device)
        logits = torch.stack([teacher(pixels) for teacher in ctx.teachers]).mean(0)
        return ctx.distilled(ctx.into_space(pixels), Stored("logits", logits), data)


@dataclass(frozen=True)
class Misspelt(Taught):
    """As above, but its needs are in an attribute that nobody reads."""

    need: int = 0

    def neds(self) -> Needs:
        return Needs()


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    distillers.register("taught", version=1)(Taught)
    distillers.register("misspelt", version=1)(Misspelt)
    yield
    distillers.remove(__name__)


def wanted(method: str = "taught", seed: int = 0) -> Request:
    return distilled(real_images("digits"), method, 2, seed)


@pytest.mark.parametrize("method", ["taught", "taught:zca=true"])
def test_teachers_see_pixels_and_have_the_statistics_of_their_training(tmp_path: Path, method: str) -> None:
    session = Session(str(tmp_path / "s.db"))
    made = session.store.artifacts.read(session.answer(wanted(method))["artifact"])
    data = load("digits", "train", session.root)
    pixels = data.read(torch.cat([data.of_class(label)[:2] for label in range(10)]))
    answers = []
    for seed in range(2):
        curve = session.answer(trained(real_images("digits"), TEACHER, "smoke:batch=64", seed))
        stored = session.store.artifacts.read(curve["models"][str(curve["epochs"][-1])])
        assert any("running_mean" in name for name in stored.tensors), "a batch norm's statistics are buffers"
        answers.append(load_model(stored.tensors, stored.card, "cpu")(pixels))
    torch.testing.assert_close(made.tensors["labels"], torch.stack(answers).mean(0))
    assert session.store.results.counts()["train"] == {"done": 2}, "the same trainings as anybody's"
    session.close()


def test_sets_share_their_teachers_and_name_them(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    first, second = planner.plan(wanted(seed=0)), planner.plan(wanted(seed=1))
    assert first.spec["teachers"] == second.spec["teachers"] and set(first.spec["teachers"]) <= set(first.needs)
    assert [cell.stage for cell in planner.cells.values()] == ["train", "train", "distill", "distill"]


def test_a_teacher_that_was_damaged_is_trained_again(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    teacher = session.answer(trained(real_images("digits"), TEACHER, "smoke:batch=64", 0))
    tensors = session.store.artifacts.folder(teacher["models"]["2"]) / "tensors.safetensors"
    tensors.write_bytes(b"")
    planner = Planner(session.root)
    made = planner.plan(wanted())
    session.execute(planner)
    assert answer_of(made.id, session.store)["images"] == 20
    session.close()


def test_the_contract_knows_teachers_and_misspelt_needs() -> None:
    assert [result.problem for result in check_distiller("taught") if not result.ok] == []
    problems = [result.problem for result in check_distiller("misspelt") if not result.ok]
    assert any("'neds', which nothing reads" in problem for problem in problems)


def test_needs_of_another_type_are_refused_while_planning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Taught, "needs", (2, "smoke"))
    with pytest.raises(BadInput, match=r"Taught\.needs is .*: it must be a Needs"):
        Planner(tmp_path).plan(wanted())
