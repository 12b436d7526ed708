"""Sets of others with test images among their own: refused when networks are trained on them, or marked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import stillproof as package
from commands import TINY, Commands
from stillproof.core.errors import BadInput
from stillproof.core.types import ImageSet, Space
from stillproof.data.load import load
from stillproof.distill.grids.grid import pack_grids
from stillproof.image_finder import export_set
from stillproof.importers.import_options import ImportOptions
from stillproof.session import Session
from stillproof.sets.artifact import card_of, tensors_of
from stillproof.sets.fronts import front_of
from stillproof.sets.read import read_set
from stillproof.suites.fixed_set import EXACT, HELDOUT_SEEN, NEAR
from stillproof.suites.requests import Request, stored_set

TRAIN, TEST = (load("digits", split, Path()) for split in ("train", "test"))
SMALL = "convnet-1:width=4"
QUICK: dict[str, Any] = {"network": SMALL, "recipe": "smoke", "seeds": 1}
RUN: dict[str, Any] = {
    "dataset": ["digits"],
    "network": SMALL,
    "recipe": "smoke",
    "seeds": 1,
    "ipc": [2],
    "scale": "smoke",
}


def some(data: ImageSet, each: int) -> tuple[Tensor, Tensor]:
    """The first images of every class."""
    places = torch.cat([data.of_class(label)[:each] for label in range(10)])
    return data.read(places), data.labels[places]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("leaks") / "s.db")) as opened:
        yield opened


def test_a_set_of_test_images_is_refused_and_let_through_with_a_mark(session: Session) -> None:
    with pytest.raises(
        BadInput, match=r"20 of its 20 images are test images of digits.*--allow-test-images"
    ) as refused:
        session.train(some(TEST, 2), dataset="digits", **QUICK)
    first, second = TEST.of_class(0)[:2].tolist()
    named = f"(number 0 is test image {first}, 1 is test image {second}, "
    assert named in str(refused.value) and "and 15 more" in str(refused.value)
    score = session.train(some(TEST, 2), dataset="digits", allow_test_images=True, **QUICK)
    assert score.name.endswith(EXACT) and "20 of its 20 images are test images" in score.caveats[0]
    assert "20 of its 20" in repr(score) and "20 of its 20" in repr(score.table())
    (kept,) = session.store.results.runs_and_calls()
    assert kept.rows[0]["method"] == score.name


def test_a_single_test_image_is_found_whatever_its_label(session: Session) -> None:
    images, labels = some(TRAIN, 2)
    images[7] = TEST.read(slice(30, 31))[0]
    with pytest.raises(BadInput, match=r"1 of its 20 images are test images.*\(number 7 is test image 30\)"):
        session.train((images, labels.flip(0)), dataset="digits", **QUICK)


def test_rows_of_a_run_are_marked_wherever_they_are_shown(session: Session) -> None:
    made = session.import_tensors(*some(TEST, 2), "digits")
    options = RUN | {"methods": ["random", made]}
    with pytest.raises(BadInput, match="20 of its 20 images are test images"):
        session.run_suite("accuracy", options)
    with pytest.raises(BadInput, match="20 of its 20 images are test images"):
        session.forecast("accuracy", options)
    states = session.run_suite("accuracy", options, allow_test_images=True)
    table = session.table(run=states.run)
    (row,) = [row for row in table.rows if str(row["method"]).endswith(EXACT)]
    assert f"{row['method']}: 20 of its 20 images are test images" in " ".join(table.notes)
    _, rows, config = session.plan_suite("accuracy", options, allow_test_images=True)
    assert any(str(one["method"]).endswith(EXACT) and "are test images" in one["caveat"] for one in rows)
    assert session.plan_suite("accuracy", config | {"scale": "smoke"}, allow_test_images=True)[1] == rows
    assert str(row["method"]) in repr(session.compare([str(row["method"]), "random"], run=states.run))


def test_near_copies_are_let_through_with_a_warning_and_a_mark(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    images, labels = some(TRAIN, 2)
    images[3] = TEST.read(slice(30, 31))[0].flip(2)
    made = session.import_tensors(images, labels, "digits")
    score = session.train(made, **QUICK)
    assert score.name.endswith(NEAR) and "1 of its 20 images are near copies of test images" in score.caveats[0]
    session.plan_suite("accuracy", RUN | {"methods": [made]})
    assert "1 of its 20 images are near copies" in caplog.text


@pytest.mark.parametrize("method", ["random", "herding", "k-center", "dm:steps=5"])
def test_honest_sets_of_others_stay_silent(method: str, session: Session, tmp_path: Path) -> None:
    made = session.distill("digits", method, 3, network=SMALL)
    export_set(session.store, made.artifact, tmp_path / "set")
    with Session(str(tmp_path / "other.db")) as other:
        score = other.train(tmp_path / "set", **QUICK)
    assert score.caveats == [] and "+" not in score.name


def test_sets_that_were_distilled_here_are_not_looked_at_and_changed_ones_of_others_are(session: Session) -> None:
    made = session.distill("digits", "random", 2, network=SMALL)
    assert session.train(made, **QUICK).caveats == []
    images, labels = some(TEST, 2)
    leaked = session.import_tensors(images, 0.8 * torch.eye(10)[labels] + 0.02, "digits")
    asked = Request("relabel", of=stored_set(leaked.artifact, "digits", count=20), labels="hard")
    changed = session.answer(asked)
    with pytest.raises(BadInput, match="20 of its 20 images are test images"):
        session.train(changed["artifact"], **QUICK)
    assert changed["artifact"] != leaked.artifact and session.store.cell_of(changed["artifact"]) is not None
    with pytest.raises(BadInput, match="20 of its 20 images are test images"):
        session.train(asked, **QUICK)


@pytest.mark.parametrize("space", ["normalised", "usual", "kip", "normalised-zca"])
def test_sets_of_any_space_are_taken_back_to_pixels(space: str, session: Session) -> None:
    images, labels = some(TEST, 1)
    made = read_set(session.store, session.import_tensors(images, labels, "digits").artifact)
    its = Space.normalised(TEST.info)
    if space != "normalised":
        found = session.answer(Request("zca", dataset="digits", variant=space.removesuffix("-zca")))
        its = Space("zca", ref=found["artifact"])
    moved = dataclasses.replace(made, images=front_of(its, session.store)(images).contiguous(), space=its)
    artifact = session.store.keep("distilled", tensors_of(moved), card_of(moved), name=f"in-{space}")
    with pytest.raises(BadInput, match="10 of its 10 images are test images"):
        session.train(artifact, **QUICK)


def test_four_test_images_in_one_are_refused(session: Session, tmp_path: Path) -> None:
    whole, labels = some(TRAIN, 4)
    order = torch.arange(40).reshape(10, 4).T.flatten()
    whole = whole[order]
    whole[[3, 17]] = TEST.read(torch.tensor([50, 60]))
    torch.save((pack_grids(whole), labels[::4]), tmp_path / "grids.pt")
    (made,), _ = session.import_sets(tmp_path / "grids.pt", "digits", ImportOptions(decode="grid2x2", space="pixels"))
    with pytest.raises(BadInput, match=r"2 of its 40 images are test images.*3 is test image 50, 17 is test image 60"):
        session.train(made, **QUICK)


def test_evaluate_and_the_command_line_refuse_and_let_through(tmp_path: Path, stillproof: Commands) -> None:
    images, labels = some(TEST, 1)
    place: dict[str, Any] = {"store": str(tmp_path / "s.db")}
    with pytest.raises(BadInput, match="10 of its 10 images are test images"):
        package.evaluate(images, labels, dataset="digits", **QUICK, **place)
    score = package.evaluate(images, labels, dataset="digits", allow_test_images=True, **QUICK, **place)
    assert score.name.endswith(EXACT)
    torch.save({"images": images, "labels": labels}, tmp_path / "mine.pt")
    train = ["train", "mine.pt", "--dataset", "digits", "--recipe", "smoke", "--seeds", "1", *TINY]
    assert "10 of its 10 images are test images" in stillproof(*train, cwd=tmp_path).sentence()
    done = stillproof(*train, "--allow-test-images", "--json", cwd=tmp_path)
    assert done.json()["name"].endswith(EXACT) and "10 of its 10" in done.json()["caveats"][0]
    run = ["run", "accuracy", "--dataset", "digits", "--methods", "mine.pt", "--scale", "smoke", "--seeds", "1", *TINY]
    assert stillproof(*run, cwd=tmp_path).code == 2
    assert stillproof(*run, "--dry-run", cwd=tmp_path).code == 2
    shown = stillproof(*run, "--allow-test-images", cwd=tmp_path)
    assert shown.code == 0 and EXACT in shown.out and "10 of its 10 images are test images" in shown.out


def test_a_whitening_that_hides_what_networks_see_is_refused(session: Session) -> None:
    images, labels = some(TEST, 1)
    made = read_set(session.store, session.import_tensors(images, labels, "digits").artifact)
    found = session.store.artifacts.read(session.answer(Request("zca", dataset="digits"))["artifact"])
    forged = found.tensors | {"inverse_matrix": found.tensors["inverse_matrix"].flip(1)}
    space = Space("zca", ref=session.store.keep("zca", forged, {"data": "digits", "eps": 0.1}))
    whitened = front_of(Space("zca", ref=found.id), session.store)(images).contiguous()
    moved = dataclasses.replace(made, images=whitened, space=space)
    artifact = session.store.keep("distilled", tensors_of(moved), card_of(moved), name="hidden")
    with pytest.raises(BadInput, match="its way back to pixels does not undo its way there"):
        session.train(artifact, **QUICK)


def test_models_that_were_trained_on_test_images_are_marked_where_they_are_compared(session: Session) -> None:
    leaked, honest = (
        session.train(some(data, 2), dataset="digits", allow_test_images=True, **QUICK).models[0]
        for data in (TEST, TRAIN)
    )
    first, second = (side.name for side in _sides(session, leaked, honest))
    assert first.endswith(EXACT) and not second.endswith(EXACT)


def _sides(session: Session, *models: str) -> tuple[Any, Any]:
    match = session.compare(models).found[0].match
    return match.first, match.second


def test_the_card_of_another_does_not_say_what_a_set_has_not_seen(session: Session, tmp_path: Path) -> None:
    """A choice by held-out images may be biased unless the set was made here without them, whatever its card says."""
    made = session.distill("digits", "random", 2, network=SMALL, part="fit")
    export_set(session.store, made.artifact, tmp_path / "set")
    heldout = QUICK | {"selection": "heldout"}
    assert session.train(made, **heldout).caveats == []
    with Session(str(tmp_path / "other.db")) as other:
        assert other.train(tmp_path / "set", **heldout).caveats == [HELDOUT_SEEN]
        asked = RUN | {"methods": [tmp_path / "set"], "selection": "heldout"}
        _, rows, _ = other.plan_suite("accuracy", asked)
        assert any(HELDOUT_SEEN in row.get("caveat", "") for row in rows)
