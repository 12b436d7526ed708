"""Answers of another store are counted again: honest ones come, and forged ones do not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from attacked import NETWORK, RECIPE, attack, make_home, training
from sqlalchemy import select, update

from stillproof import Session
from stillproof.core.components import stages
from stillproof.core.spec import Json, digest
from stillproof.run.recount.forms import FORMS
from stillproof.run.recount.recount import COUNTS
from stillproof.store.records import Record
from stillproof.store.schema import cells
from stillproof.store.store import Store
from stillproof.suites.requests import Request, distilled, real_images, selected, trained

DEEPFOOL = attack("deepfool:steps=2", limit=60)
MADE = distilled(real_images("digits"), "random", 1, 0)
# Nothing that any answer stands on can be counted again: what is told of them is all there is.
ONLY_TOLD = {"attack-time", "audit", "cost", "coverage", "map", "meta-train", "truth"}
ELSEWHERE = {"adapt", "attack-others", "distil-attacked"}  # honest ones are merged where they are tested


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with an honest answer of many stages."""
    home = make_home(tmp_path_factory.mktemp("theirs"))
    several = (attack("fgsm:eps=0.05", limit=60), attack("fgsm:eps=0.1", limit=60))
    tried = [trained(MADE, NETWORK, f"{RECIPE}:lr={rate}", 0) for rate in (0.01, 0.05)]
    choice = Request("best-rate", selected=[selected(one, "last") for one in tried], rates=(0.01, 0.05), rule="oracle")
    asked = [
        *several,
        Request("worst-case", of=several),
        Request("within", of=DEEPFOOL, norm="L2", eps=0.5),
        Request("transfer", of=several[0], model=training(1)),
        Request("robust-curve", of=DEEPFOOL, checks=(), largest=0.2),
        Request("judge", model=training(), on=MADE),
        Request("by-class", of=training()),
        Request("compare", first=(training(0),), second=(training(1),)),
        Request("attack-check", model=training(), dataset="digits", eps=0.05, limit=20),
        Request("select", train=training(), rule="oracle"),
        selected(trained(MADE, NETWORK, RECIPE, 0), "last"),
        Request("zca", dataset="digits"),
        Request("expert", dataset="digits", part="fit", network=NETWORK, recipe="expert:epochs=1", seed=1),
        Request("snapshot", of=distilled(real_images("digits"), "dm:steps=2", 1, 0, NETWORK), step=1),
        Request("noisy", of=MADE, std=0.5, seed=2),
        Request("relabel", of=MADE, labels="taught", teachers=(training(),)),
        Request("same-space", of=MADE, like=distilled(real_images("digits"), "random", 2, 0)),
        Request("attack-bench", model=training(), dataset="digits", attack="fmn", budget=20, limit=20),
        Request("attacked-set", model=training(), dataset="digits", attack="fgsm", per_class=6),
        Request("model", artifact=home.score.models[0], network=NETWORK),
        Request("tuned", train=trained(MADE, NETWORK, RECIPE, 1), choice=choice),
    ]
    with home.session as session:
        for request in asked:
            session.answer(request)
    return Path(session.store.url.removeprefix("sqlite:///"))


@pytest.fixture
def theirs(template: Path, tmp_path: Path) -> Path:
    shutil.copy(template, tmp_path / "theirs.db")
    shutil.copytree(template.with_name("s-artifacts"), tmp_path / "theirs-artifacts")
    return tmp_path / "theirs.db"


class Forger:
    """Changes a store at will, sealing what it changes as this program would."""

    def __init__(self, store: Store) -> None:
        self.store = store
        with store.database.read() as connection:
            self.records = [Record.from_row(row) for row in connection.execute(select(cells).order_by(cells.c.created))]

    def of(self, stage: str, number: int = 0) -> Record:
        return [record for record in self.records if record.stage == stage][number]

    def put(self, record: Record, **columns: Any) -> str:
        texts = {name: value if name == "status" else json.dumps(value) for name, value in columns.items()}
        with self.store.database.write() as connection:
            connection.execute(update(cells).where(cells.c.id == record.id).values(texts))
        return record.id

    def says(self, record: Record, **result: Any) -> str:
        return self.put(record, result={**(record.result or {}), **result})

    def resealed(self, artifact: str, card: Json | None = None, /, **tensors: torch.Tensor) -> str:
        """Return the id of an artifact with other tensors, or with another card, which is as sound as the first."""
        found = self.store.artifacts.read(artifact)
        return self.store.keep(found.kind, found.tensors | tensors, {**found.card, **(card or {})})

    def with_outcomes(self, record: Record, outcomes: str, **result: Any) -> str:
        assert record.result is not None
        kept = [outcomes if one == record.result["outcomes"] else one for one in record.artifacts]
        return self.put(record, result={**record.result, "outcomes": outcomes, **result}, artifacts=kept)


def better_accuracy(forger: Forger) -> str:
    return forger.says(forger.of("select"), accuracy=0.999)


def better_curve(forger: Forger) -> str:
    record = forger.of("train")
    return forger.says(record, test_accuracy=[0.999 for _ in (record.result or {})["test_accuracy"]])


def fewer_test_images(forger: Forger) -> str:
    return forger.says(forger.of("train"), n_test=3)


def more_robust(forger: Forger) -> str:
    return forger.says(forger.of("attack"), robust_accuracy=1.0)


def cheaper_attack(forger: Forger) -> str:
    return forger.says(forger.of("attack"), passes_per_image=0.5)


def no_data_set(forger: Forger) -> str:
    """Do not say of which data set it is, so that its images could not be counted."""
    record = forger.of("train")
    return forger.put(record, where={key: value for key, value in record.where.items() if key != "dataset"})


def swapped_answers(forger: Forger) -> str:
    one, other = forger.of("train", 0), forger.of("train", 1)
    forger.put(other, result=one.result, artifacts=list(one.artifacts))
    return forger.put(one, result=other.result, artifacts=list(other.artifacts))


def moved_answer(forger: Forger) -> str:
    one, other = forger.of("attack", 0), forger.of("attack", 1)
    return forger.put(one, result=other.result, artifacts=list(other.artifacts))


def swapped_predictions(forger: Forger) -> str:
    one, other = forger.of("train", 0), forger.of("train", 1)
    assert one.result is not None and other.result is not None
    return forger.with_outcomes(one, other.result["outcomes"])


def moved_and_resealed(forger: Forger) -> str:
    """Give the predictions of another training the card of this one; the models then still say whose they are."""
    one, other = forger.of("train", 0), forger.of("train", 1)
    assert other.result is not None
    outcomes = forger.resealed(other.result["outcomes"], {"train": one.id})
    moved = {**other.result, "outcomes": outcomes}
    return forger.put(one, result=moved, artifacts=[*other.result["models"].values(), outcomes])


def resealed_predictions(forger: Forger) -> str:
    """Make all predictions those of the first class, under a sound seal."""
    record = forger.of("train")
    outcomes = (record.result or {})["outcomes"]
    predictions = forger.store.artifacts.read(outcomes).tensors["predictions"]
    return forger.with_outcomes(record, forger.resealed(outcomes, predictions=torch.zeros_like(predictions)))


def resealed_outcomes(forger: Forger) -> str:
    """Call every image robust, and count these."""
    record = forger.of("attack")
    outcomes = (record.result or {})["outcomes"]
    all_robust = torch.ones(60, dtype=torch.bool)
    forged = forger.resealed(outcomes, robust=all_robust)
    return forger.with_outcomes(record, forged, robust_accuracy=1.0)


def other_labels(forger: Forger) -> str:
    """Take for labels what the model said: everything is right, and consistent but for the data set."""
    record = forger.of("attack")
    outcomes = (record.result or {})["outcomes"]
    values = forger.store.artifacts.read(outcomes).tensors
    labels, yes = values["predictions"], torch.ones(60, dtype=torch.bool)
    changed = {"labels": labels, "clean_predictions": labels, "clean_right": yes, "robust": yes}
    forged = forger.resealed(outcomes, **changed, fooled=~yes, success=~yes)
    counted = {"clean_accuracy": 1.0, "robust_accuracy": 1.0, "success_rate": 0.0, "passes_to_success": None}
    sizes = {f"median_{size}": None for size in ("linf", "l2", "l1")}
    return forger.with_outcomes(record, forged, **counted, **sizes)


def fewer_images(forger: Forger) -> str:
    record = forger.of("attack")
    outcomes = (record.result or {})["outcomes"]
    values = forger.store.artifacts.read(outcomes).tensors
    return forger.with_outcomes(record, forger.resealed(outcomes, **{name: one[:3] for name, one in values.items()}))


def senseless_tensors(forger: Forger) -> str:
    record = forger.of("attack")
    outcomes = (record.result or {})["outcomes"]
    return forger.with_outcomes(record, forger.resealed(outcomes, labels=torch.zeros(2, 3, 4)))


def another_kind(forger: Forger) -> str:
    record = forger.of("train")
    assert record.result is not None
    return forger.with_outcomes(record, next(iter(record.result["models"].values())))


def hidden_origin(forger: Forger) -> str:
    return forger.put(forger.of("select"), derived_from=[])


def another_choice(forger: Forger) -> str:
    """Choose the epoch of another training."""
    one, other = forger.of("train", 0), forger.of("train", 1)
    choice = next(record for record in forger.records if record.stage == "select" and record.spec["train"] == one.id)
    assert other.result is not None
    epoch = other.result["epochs"][-1]
    return forger.says(choice, model=other.result["models"][str(epoch)], outcomes=other.result["outcomes"])


def better_worst_case(forger: Forger) -> str:
    return forger.says(forger.of("worst-case"), robust_accuracy=0.99)


def better_within(forger: Forger) -> str:
    return forger.says(forger.of("within"), robust_accuracy=0.99)


def better_curve_of_robustness(forger: Forger) -> str:
    return forger.says(forger.of("robust-curve"), area=0.99)


def better_judgement(forger: Forger) -> str:
    return forger.says(forger.of("judge"), accuracy=1.0)


def better_class(forger: Forger) -> str:
    record = forger.of("by-class")
    assert record.result is not None
    return forger.says(record, right=record.result["images"])


def better_transfer(forger: Forger) -> str:
    return forger.says(forger.of("transfer"), robust_accuracy=1.0, clean_accuracy=1.0)


def fewer_alarms(forger: Forger) -> str:
    return forger.says(forger.of("attack-check"), means={"margins": 0.0})


def hidden_alarm(forger: Forger) -> str:
    return forger.says(forger.of("attack-check"), alarms=["all is well"])


def seconds_in_words(forger: Forger) -> str:
    return forger.says(forger.of("train"), seconds="long")


def another_rate(forger: Forger) -> str:
    """Repeat the training at the rate that was not chosen."""
    record, choice = forger.of("tuned"), forger.of("best-rate")
    other = next(
        one
        for one in forger.records
        if one.stage == "select" and one.id in choice.spec["selected"] and one.id not in record.derived_from
    )
    assert other.result is not None and record.result is not None
    forger.put(record, where={**record.where, "selected": other.id})
    return forger.put(
        record,
        result={**other.result, "rate": record.result["rate"]},
        derived_from=[other.id, choice.id],
    )


def another_trajectory(forger: Forger) -> str:
    return forger.says(forger.of("expert"), bytes=1)


def smaller_set(forger: Forger) -> str:
    return forger.says(forger.of("noisy"), bytes=1)


def nearer_attack(forger: Forger) -> str:
    return forger.says(forger.of("attack-bench"), turned=1.0, passes_per_image=0.1)


def stronger_set(forger: Forger) -> str:
    return forger.says(forger.of("attacked-set"), robust_accuracy=0.0, right=3)


def another_method(forger: Forger) -> str:
    """Give a set of another seed for this one."""
    record = forger.of("distill")
    assert record.result is not None
    other = forger.resealed(record.result["artifact"], {"seed": 7})
    return forger.put(record, result={**record.result, "artifact": other}, artifacts=[other])


def escaping_name(forger: Forger) -> str:
    return forger.says(forger.of("distill"), name="../../x")


def missing_key(forger: Forger) -> str:
    record = forger.of("attack")
    return forger.put(record, result={key: value for key, value in (record.result or {}).items() if key != "n"})


def list_for_number(forger: Forger) -> str:
    return forger.says(forger.of("select"), accuracy=[0.5])


def negative_accuracy(forger: Forger) -> str:
    return forger.says(forger.of("select"), accuracy=-0.5)


def text_for_notes(forger: Forger) -> str:
    return forger.says(forger.of("attack"), notes="all is well")


FORGERIES: dict[Callable[[Forger], str], str] = {
    better_accuracy: "accuracy is 0.999, and its outcomes come to",
    better_curve: "test_accuracy is [0.999",
    fewer_test_images: "n_test is 3",
    no_data_set: "it does not say of which dataset it is",
    more_robust: "robust_accuracy is 1.0",
    cheaper_attack: "passes_per_image is 0.5",
    swapped_answers: "train of artifact",
    moved_answer: "attack of artifact",
    swapped_predictions: "train of artifact",
    moved_and_resealed: "seed of artifact",
    resealed_predictions: "test_accuracy is",
    resealed_outcomes: "robust of its images is not what their predictions say",
    other_labels: "the labels of its images are not those of the data set",
    fewer_images: "the shape of",
    senseless_tensors: "the shape of labels",
    another_kind: "the kind of artifact",
    hidden_origin: "what it is derived from is []",
    another_choice: "model is",
    better_worst_case: "robust_accuracy is 0.99",
    better_within: "robust_accuracy is 0.99",
    better_curve_of_robustness: "area is 0.99",
    better_judgement: "accuracy is 1.0",
    better_class: "right is",
    better_transfer: "_accuracy is 1.0",
    fewer_alarms: "means is",
    hidden_alarm: "alarms is",
    seconds_in_words: "seconds = 'long' is not allowed",
    another_rate: "the training that it repeats",
    another_trajectory: "bytes is 1",
    smaller_set: "bytes is 1",
    nearer_attack: "is",
    stronger_set: "is",
    another_method: "seed of artifact",
    escaping_name: "name is no name that a folder could have",
    missing_key: "it lacks n",
    list_for_number: "accuracy = [0.5] is not allowed",
    negative_accuracy: "accuracy = -0.5 is not allowed",
    text_for_notes: "notes = 'all is well' is not allowed",
}


def test_every_stage_has_a_form_and_is_counted_or_only_told() -> None:
    computed = {name for name in stages.entries() if name not in ("artifact", "data")}
    assert FORMS.keys() == computed and computed - COUNTS.keys() == ONLY_TOLD


def test_honest_answers_come_and_say_where_from(theirs: Path, tmp_path: Path) -> None:
    with Session(str(tmp_path / "ours.db")) as ours, Session(str(theirs)) as other:
        found = ours.merge(theirs)
        everything = Forger(other.store).records
        assert {record.stage for record in everything} == COUNTS.keys() - ELSEWHERE
        assert found.found.refused == {} == found.uncounted and not found.found.without
        assert set(found.found.answers) == {record.id for record in everything}
        came = ours.store.results.get_many(found.found.answers)
        assert {record.origin for record in came.values()} == {str(theirs)}
        assert all(came[record.id].result == record.result for record in everything)


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_forgery_is_named_and_not_taken(theirs: Path, tmp_path: Path, forge: Callable[[Forger], str]) -> None:
    with Session(str(theirs)) as other:
        forged = forge(Forger(other.store))
    with Session(str(tmp_path / "ours.db")) as ours:
        merged = ours.merge(theirs).found
        assert FORGERIES[forge] in merged.refused[forged]
        assert ours.store.results.statuses([forged]) == {forged: "pending"}, "it is asked, and not answered"
        behind = ours.store.results.behind(list(ours.store.results.statuses(merged.answers)))
        assert forged not in {read for asks in behind.values() for read in asks.reads}, "nor is what stands on it"


def test_without_the_data_set_all_else_is_counted_and_the_rest_is_named(theirs: Path, tmp_path: Path) -> None:
    def elsewhere(session: Session) -> None:
        with session.store.database.write() as connection:
            for record in Forger(session.store).records:
                if "dataset" in record.where:
                    where = json.dumps({**record.where, "dataset": str(tmp_path)})
                    connection.execute(update(cells).where(cells.c.id == record.id).values(where=where))

    with Session(str(theirs)) as other:
        elsewhere(other)
        forger = Forger(other.store)
        forged = [better_curve(forger), more_robust(forger)]
    with Session(str(tmp_path / "ours.db")) as ours:
        found = ours.merge(theirs)
        assert set(found.uncounted) == {"data set digits/test"}
        assert forged[0] in found.found.answers, "only the labels would show it, so that its origin must"
        assert forged[1] in found.found.refused


def test_what_contradicts_ours_is_named_and_ours_stays(theirs: Path, tmp_path: Path) -> None:
    with Session(str(tmp_path / "ours.db")) as ours:
        ours.merge(theirs)
        with Session(str(theirs)) as other:
            forged = {better_accuracy(Forger(other.store)), more_robust(Forger(other.store))}
        before = ours.store.results.get_many(list(forged))
        found = ours.merge(theirs).found
        assert found.conflicts.keys() == forged and found.answers == []
        assert ours.store.results.get_many(list(forged)) == before


def test_a_plug_ins_stage_is_taken_as_it_is_and_counted_as_such(theirs: Path, tmp_path: Path) -> None:
    with Session(str(theirs)) as other:
        spec = {"stage": "theirs", "format": 2, "own": "f" * 64}
        record = Forger(other.store).of("select")
        with other.store.database.write() as connection:
            row = connection.execute(select(cells).where(cells.c.id == record.id)).one()._asdict()
            values = row | {"id": digest(spec), "spec": json.dumps(spec), "stage": "theirs"}
            connection.execute(cells.insert().values(values))
    with Session(str(tmp_path / "ours.db")) as ours:
        found = ours.merge(theirs)
        assert found.uncounted == {"stage theirs of that version": 1} and digest(spec) in found.found.answers
