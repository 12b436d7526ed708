"""A session takes what it gives: whatever means the same images is the same question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

import stillproof
from stillproof import BadInput, DistilledSet, ImportedSets, Score, Session
from stillproof.data.load import load
from stillproof.suites.requests import distilled, real_images
from stillproof.train.model import load_model, predict

SMALL = "convnet-1:width=4"
HOW: dict[str, Any] = {"network": SMALL, "recipe": "smoke", "seeds": 2}
DATA = load("digits", "train", Path())
CHOSEN = torch.cat([DATA.of_class(label)[:2] for label in range(10)])
PAIR = DATA.read(CHOSEN), DATA.labels[CHOSEN]


@dataclass(frozen=True)
class Home:
    """A session with a set that it made, tensors that it took over, a file of the same, and their scores."""

    session: Session
    made: DistilledSet
    imported: ImportedSets
    file: Path
    of_made: Score
    of_own: Score


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("given")
    torch.save(PAIR, folder / "mine.pt")
    of_own = stillproof.evaluate(*PAIR, dataset="digits", store=str(folder / "s.db"), **HOW)
    with Session(str(folder / "s.db")) as session:
        made = session.distill("digits", "random", 2, network=SMALL, scale="smoke")
        imported = session.import_sets(folder / "mine.pt", "digits")
        yield Home(session, made, imported, folder / "mine.pt", session.train(made, **HOW), of_own)


WAYS: list[tuple[str, Callable[[Home], Any]]] = [
    ("what distill returned", lambda home: home.made),
    ("its name", lambda home: home.made.name),
    ("its id", lambda home: home.made.artifact),
    ("the beginning of its id", lambda home: home.made.artifact[:12]),
    ("its folder", lambda home: home.made.path),
    ("its folder as text", lambda home: str(home.made.path)),
    ("its score", lambda home: home.of_made),
    ("a request", lambda home: distilled(real_images("digits"), "random", 2, 0, SMALL, "smoke")),
]


@pytest.mark.parametrize("way", [way for _, way in WAYS], ids=[name for name, _ in WAYS])
def test_all_that_means_a_set_that_was_made_is_trained_on_as_one(home: Home, way: Callable[[Home], Any]) -> None:
    score = home.session.train(way(home), **HOW)
    assert (score.models, score.trained_on) == (home.of_made.models, home.made.artifact)


OWN: list[tuple[str, Callable[[Home], Any]]] = [
    ("tensors", lambda home: PAIR),
    ("arrays", lambda home: [tensor.numpy() for tensor in PAIR]),
    ("what import_sets returned", lambda home: home.imported),
    ("one of its sets", lambda home: home.imported.sets[0]),
    ("what import_tensors returned", lambda home: home.session.import_tensors(*PAIR, "digits")),
    ("a file", lambda home: home.file),
    ("what evaluate returned", lambda home: home.of_own),
]


@pytest.mark.parametrize("way", [way for _, way in OWN], ids=[name for name, _ in OWN])
def test_all_that_means_tensors_of_ones_own_is_trained_on_as_one(home: Home, way: Callable[[Home], Any]) -> None:
    assert home.session.train(way(home), dataset="digits", **HOW) == home.of_own


def test_real_images_are_trained_on_by_name_and_again_by_their_score(home: Home) -> None:
    score = home.session.train("digits", **HOW)
    assert (score.trained_on, score.name) == ("digits", "digits")
    assert home.session.train(score, **HOW) == score


@pytest.mark.parametrize(
    ("what", "options", "words"),
    [
        (lambda home: 3, {}, "a value of type int cannot be trained on: give the name"),
        (lambda home: None, {}, "a value of type NoneType"),
        (lambda home: PAIR[0], {}, "a value of type Tensor"),
        (lambda home: [home.made, home.made], {}, "a value of type list"),
        (lambda home: home.session, {}, "a value of type Session"),
        (lambda home: PAIR, {}, "name it with dataset=NAME"),
        (lambda home: home.file, {}, "which data set it stands for"),
        (lambda home: ImportedSets(home.imported.sets * 2, []), {}, "the file held 2 sets: give one of them"),
        (lambda home: real_images("digits"), {"dataset": "digits"}, "a request itself says"),
        (lambda home: home.of_made.models[0], {}, "of kind model, but one of kind distilled"),
        (lambda home: "no-such-set", {}, "unknown artifact 'no-such-set'"),
    ],
)
def test_what_holds_no_images_is_refused_with_one_sentence(
    home: Home, what: Callable[[Home], Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        home.session.train(what(home), **options)
    assert "\n" not in str(refused.value)


def test_whatever_can_be_trained_on_can_be_compared(home: Home) -> None:
    by_score = home.session.compare([home.of_made, home.of_own])
    by_things = home.session.compare([home.made, PAIR], dataset="digits", **HOW)
    by_name = home.session.compare([home.made.name, home.imported.sets[0].artifact], **HOW)
    assert by_score == by_things == by_name
    assert home.session.compare([home.of_made, home.made, PAIR], dataset="digits", **HOW).found[1:]


def test_two_networks_on_one_set_are_told_apart(home: Home) -> None:
    other = home.session.train(home.made, network="mlp", recipe="smoke", seeds=2)
    (found,) = home.session.compare([home.of_made, other]).found
    names = found.match.first.name, found.match.second.name
    assert names == (f"{home.made.name}, {SMALL}", f"{home.made.name}, mlp")
    assert found.accuracies == (home.of_made.accuracy, other.accuracy)
    (same,) = home.session.compare([other, other]).found
    assert same.match.first.name == f"{home.made.name} (1)" and same.over_seeds.summary.mean == 0
    with pytest.raises(BadInput, match="a single score"):
        home.session.compare([other])


def test_sets_of_all_kinds_stand_among_the_methods_of_a_suite(home: Home) -> None:
    options = {"dataset": ["digits"], "network": [SMALL], "scale": "smoke", "full_recipe": ""}
    _, rows, _ = home.session.plan_suite("accuracy", options | {"methods": ["random", PAIR, home.of_made]})
    assert [row.get("set") for row in rows] == [None, home.of_own.trained_on, home.made.artifact]
    with pytest.raises(BadInput, match="a value of type float"):
        home.session.plan_suite("accuracy", options | {"methods": [0.5]})


def test_sets_of_all_kinds_can_be_shown(home: Home) -> None:
    gallery = home.session.gallery(home.made, home.of_made, PAIR, home.imported, home.file, dataset="digits")
    assert [title.split(",")[0] for title in gallery.titles] == ["random"] * 2 + ["own"] * 3
    with pytest.raises(BadInput, match="name it with dataset=NAME"):
        home.session.gallery(PAIR)


def test_the_stored_predictions_are_the_models_own(home: Home) -> None:
    model = home.of_made.models[1]
    found = home.session.predictions(model)
    test, stored = load("digits", "test", Path()), home.session.store.artifacts.read(model)
    expected = predict(load_model(stored.tensors, stored.card, "cpu"), test, "cpu")
    assert found.predictions.tolist() == expected.tolist() and found.labels.tolist() == test.labels.tolist()
    assert found.accuracy == home.of_made.per_seed[1] and found.dataset == "digits" and len(found.classes) == 10
    found.labels[:] = 0
    assert load("digits", "test", Path()).labels.any(), "what a caller does stays with the caller"
    assert home.session.predictions(model[:12]).model == model
    assert f"{int(found.right.sum())} of 359 right" in repr(found)
    for wrong, words in ((home.of_made, "score.models"), (home.made.artifact, "of kind distilled")):
        with pytest.raises(BadInput, match=words):
            home.session.predictions(wrong)


def test_a_context_closes_the_store_and_lets_errors_pass(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Session(str(tmp_path / "s.db")) as session:
        pool = session.store.database.engine.pool
        assert session.status().runs == []
        raise ZeroDivisionError
    assert session.store.database.engine.pool is not pool, "its connections were given up"
    with Session(str(tmp_path / "never.db")):
        pass
    assert not (tmp_path / "never.db").exists(), "nothing asked for a store"
