"""Sets, models and methods side by side: what is stored of their networks is read, and nothing is trained twice."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from PIL import Image

from stillproof.answers import Score
from stillproof.core.errors import BadInput, CellFailed
from stillproof.image_finder import artifact_request
from stillproof.report.tables.table import Number
from stillproof.report.tables.text import shown
from stillproof.score.difference import paired_difference
from stillproof.session import Session
from stillproof.suites.requests import Request, distilled, real_images, selected, trained

SMALL = "convnet-1:width=4"
OPTIONS = {"dataset": ["digits"], "methods": ["random", "herding"], "ipc": [1, 2], "network": [SMALL]}
HOW = {"network": SMALL, "recipe": "smoke", "seeds": 3}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session whose store has a run of two methods with three seeds."""
    opened = Session(str(tmp_path_factory.mktemp("compare") / "s.db"))
    assert set(opened.run_suite("accuracy", {**OPTIONS, "scale": "smoke", "seeds": 3}).values()) == {"done"}
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def sets(session: Session) -> list[str]:
    return [session.distill("digits", method, 1, network=SMALL, scale="smoke").name for method in ("random", "herding")]


def trainings(session: Session) -> int:
    return sum(session.store.results.counts()["train"].values())


def right(session: Session, model: str) -> torch.Tensor:
    """Which test images a stored model recognises, by asking the model itself."""
    from stillproof.data.load import load
    from stillproof.train.model import load_model, predict

    stored = session.store.artifacts.read(model)
    test = load("digits", "test", session.root)
    return predict(load_model(stored.tensors, stored.card, "cpu"), test, "cpu") == test.labels


def test_methods_of_a_run_are_compared_where_their_rows_agree(session: Session) -> None:
    before = trainings(session)
    found = session.compare(["random", "herding"])
    assert (found.of, found.run, trainings(session)) == ("methods", 1, before)
    assert [comparison.match.about["ipc"] for comparison in found.found] == [1, 2]
    rows = {(row["method"], row["ipc"]): row["accuracy"] for row in session.table("accuracy").rows}
    for comparison in found.found:
        accuracies = [rows[name, comparison.match.about["ipc"]] for name in ("random", "herding")]
        assert list(comparison.accuracies) == accuracies
        assert len(comparison.pairs) == 3 and comparison.match.shares_seeds and comparison.n_test == 359
        assert comparison.adjusted_images >= comparison.test.p
    text = shown(found.table())
    assert any("adjusted for 2 comparisons" in note for note in text.notes) and "ipc" in text.header


def test_full_data_stand_beside_sets_of_any_size_and_that_is_said(session: Session) -> None:
    found = session.compare(["full", "random"])
    assert [comparison.match.about["ipc"] for comparison in found.found] == ["all / 1", "all / 2"]
    assert {comparison.better for comparison in found.found} <= {"full", None}
    assert "also differ in images per class all and 1" in found.found[0].match.caveats()[0]


def test_every_two_of_three_are_compared_and_all_are_one_family(session: Session) -> None:
    found = session.compare(["full", "random", "herding"]).found
    assert [(one.match.first.name, one.match.second.name) for one in found] == [
        *[("full", "random")] * 2,
        *[("full", "herding")] * 2,
        *[("random", "herding")] * 2,
    ]
    least = min(found, key=lambda comparison: comparison.test.p)
    assert least.adjusted_images == pytest.approx(min(1.0, 6 * least.test.p))


def test_seeds_that_all_differ_alike_are_no_test_and_that_is_said(session: Session, sets: list[str]) -> None:
    (found,) = session.compare(sets, network=SMALL, recipe="smoke", seeds=3).found
    alike = dataclasses.replace(found, over_seeds=paired_difference([0.5, 0.6, 0.7], [0.4, 0.5, 0.6]))
    assert alike.over_seeds.p is None and alike.caveats()[-1] == (
        f"{sets[0]} and {sets[1]} differ by the same amount in all 3 seeds, so there is nothing to test."
    )
    assert found.over_seeds.p is None or "by the same" not in str(found.caveats())


def test_sets_are_trained_on_once_and_counted_image_by_image(session: Session, sets: list[str]) -> None:
    found = session.compare(sets, network=SMALL, recipe="smoke", seeds=3)
    before = trainings(session)
    assert session.compare(sets, network=SMALL, recipe="smoke", seeds=3).as_dict() == found.as_dict()
    assert trainings(session) == before
    (comparison,) = found.found
    scores = [score_of(session, name) for name in sets]
    first, second = ([right(session, model) for model in score.models] for score in scores)
    for pair, one, other in zip(comparison.pairs, first, second, strict=True):
        assert pair.only_first == int((one & ~other).sum()) and pair.neither == int((~one & ~other).sum())
        assert pair.both + pair.only_first + pair.only_second + pair.neither == 359
    won = [sum(getattr(pair, f"only_{side}") for pair in comparison.pairs) / 3 for side in ("first", "second")]
    (line,) = found.table().rows
    assert [line["images_first"], line["images_second"]] == [Number(mean, ".0f") for mean in won]
    net = torch.stack(first).long().sum(0) - torch.stack(second).long().sum(0)
    assert comparison.test.statistic == pytest.approx(float(net.sum() ** 2 / net.square().sum()))
    assert comparison.over_seeds.summary.mean == pytest.approx(scores[0].accuracy.mean - scores[1].accuracy.mean)


def score_of(session: Session, name: str) -> Score:
    return session.train(artifact_request(session.store, name)[0], network=SMALL, recipe="smoke", seeds=3)


def test_two_models_are_compared_on_images_alone(session: Session, sets: list[str]) -> None:
    models = score_of(session, sets[0]).models
    (comparison,) = session.compare([models[0], models[1]]).found
    assert comparison.over_seeds.p is None and comparison.over_seeds.summary.ci95 is None
    assert comparison.pairs[0].seeds == (0, 1) and comparison.test == comparison.pairs[0].test
    low, high = comparison.interval
    assert low < comparison.over_seeds.summary.mean < high


def test_a_chosen_epoch_has_predictions_of_its_own(session: Session, sets: list[str]) -> None:
    request, _ = artifact_request(session.store, sets[0])
    recipe = "smoke:lr=1:epochs=20"
    best = session.train(request, network=SMALL, recipe=f"{recipe}:curve_points=20", seeds=1, selection="oracle")
    last = session.train(request, network=SMALL, recipe=recipe, seeds=1)
    assert best.per_seed[0] == int(right(session, best.models[0]).sum()) / 359 > last.per_seed[0]
    (comparison,) = session.compare([best.models[0], last.models[0]]).found
    pair = comparison.pairs[0]
    assert pair.both + pair.only_first == round(best.per_seed[0] * 359)
    assert comparison.match.about["selection"] == "oracle / last"
    assert "selection oracle and last" in comparison.match.caveats()[0]


def test_classes_are_counted_from_what_is_stored(session: Session) -> None:
    request = selected(
        trained(distilled(real_images("digits"), "random", 1, 0, SMALL, "smoke"), SMALL, "smoke", 0), "last"
    )
    before = trainings(session)
    answer = session.answer(Request("by-class", of=request))
    assert trainings(session) == before and sum(answer["images"]) == 359
    chosen = session.answer(request)
    assert sum(answer["right"]) / 359 == pytest.approx(chosen["accuracy"])
    run = session.store.results.last_run("accuracy")
    assert run is not None
    table = session.by_class(run=run).tables()[0]
    assert [(row["method"], row["ipc"]) for row in table.rows][:2] == [("full", None), ("random", 1)]
    assert [column.title for column in table.columns if column.key.startswith("class_")] == list("0123456789")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["random"], "name at least two different ones"),
        (["random", "random"], "name at least two different ones"),
        (
            ["random", "nonsense"],
            "'nonsense' is not a method of run 1 of 'accuracy', whose methods are full, random, herding",
        ),
        (["nonsense", "more"], "unknown artifact 'nonsense'"),
        (["SET", "MODEL"], "is a set and .* is a model"),
    ],
)
def test_names_that_mean_nothing_together_are_refused(
    session: Session, sets: list[str], names: list[str], words: str
) -> None:
    meant = {"SET": sets[0], "MODEL": score_of(session, sets[0]).models[0]}
    with pytest.raises(BadInput, match=words) as caught:
        session.compare([meant.get(name, name) for name in names])
    assert "\n" not in str(caught.value)


def test_other_test_images_are_refused_before_anything_is_trained(
    session: Session, sets: list[str], tmp_path: Path
) -> None:
    for shade, split in enumerate(("train", "test")):
        for label in range(10):
            (tmp_path / split / str(label)).mkdir(parents=True)
            Image.new("L", (8, 8), 20 * label + shade).save(tmp_path / split / str(label) / "1.png")
    before = trainings(session)
    with pytest.raises(BadInput, match="only answers for the same test images can be compared"):
        session.compare([sets[0], str(tmp_path)], network=SMALL, recipe="smoke", seeds=1)
    assert trainings(session) == before
    other = session.train(real_images(str(tmp_path)), network=SMALL, recipe="smoke", seeds=1).models[0]
    with pytest.raises(BadInput, match="they were tested on different images"):
        session.compare([score_of(session, sets[0]).models[0], other])


def test_recipes_that_differ_are_named(session: Session) -> None:
    models = [
        session.train(real_images("digits"), network=SMALL, recipe=recipe, seeds=1).models[0]
        for recipe in ("smoke", "smoke:epochs=3")
    ]
    (comparison,) = session.compare(models).found
    assert "also differ in recipe smoke and smoke:epochs=3" in comparison.match.caveats()[0]


def test_predictions_that_are_lost_are_named_and_made_again(tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"))
    options = {**OPTIONS, "scale": "smoke", "seeds": 1, "ipc": [1], "full_recipe": ""}
    session.run_suite("accuracy", options)
    run = session.store.results.last_run("accuracy")
    assert run is not None
    outcomes = session.store.results.get_many([run.rows[0]["cells"][0]])
    (record,) = outcomes.values()
    assert record.result is not None
    shutil.rmtree(session.store.artifacts.folder(record.result["outcomes"]))
    with pytest.raises(CellFailed, match="The command that trained it trains it again"):
        session.compare(["random", "herding"])
    session.run_suite("accuracy", options)
    assert len(session.compare(["random", "herding"]).found) == 1
    session.close()


def test_seeds_that_only_one_has_are_left_out(tmp_path: Path, session: Session) -> None:
    run = session.store.results.last_run("accuracy")
    assert run is not None
    rows = [row for row in run.rows if row["ipc"] == 1]
    for row, kept in zip(rows, (slice(0, 2), slice(1, 3)), strict=True):
        row["cells"] = row["cells"][kept]
    run.rows[:] = rows
    (comparison,) = session.compare(["random", "herding"], run=run).found
    assert [pair.seeds for pair in comparison.pairs] == [(1, 1)]
    assert "seeds that only one of them has are left out (2)" in comparison.match.caveats()[-1]
    rows[0]["cells"], rows[1]["cells"] = rows[0]["cells"][:1], rows[1]["cells"][1:]
    (apart,) = session.compare(["random", "herding"], run=run).found
    assert apart.pairs[0].seeds == (0, 2) and not apart.match.shares_seeds
