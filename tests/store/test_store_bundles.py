"""Bundles: what is kept of them, and what is refused, each in one sentence."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from work_done import downgrade

from stillproof.core.errors import BadInput
from stillproof.store.bundle import Right
from stillproof.store.bundles import Bundles
from stillproof.store.read_bundle import LARGEST, bundle_hash, bundle_text, parse_bundle, read_bundle
from stillproof.store.store import open_store

CELL, OTHER, ASKS = "a" * 64, "b" * 64, "c" * 64
ANSWER = {
    "asks": ASKS,
    "state": "done",
    "seconds": 1.5,
    "result": {"accuracy": 0.5, "heldout_accuracy": None, "n_test": 4},
    "right": {"n": 4, "bits": base64.b64encode(bytes([0b1010_0000])).decode()},
}
FAILED = {"asks": ASKS, "state": "failed", "reason": "RuntimeError: it went off", "seconds": 0.1}
CONTENT: dict[str, Any] = {
    "kind": "stillproof results",
    "schema": 1,
    "name": "talk",
    "suite": "accuracy",
    "config": {"dataset": ["digits"], "seeds": 2},
    "command": "stillproof run accuracy --dataset digits",
    "stillproof": "0.1.0",
    "date": "2026-11-19",
    "machines": [],
    "seconds": 12.0,
    "data": ["digits/test@sha256:1"],
    "sections": {"accuracy": "Accuracy"},
    "components": [{"name": "distillers/dm", "version": 1, "generations": {"distill/dm.py": 2}}],
    "questions": {ASKS: {"components": [0]}},
    "rows": [{"keys": {"method": "full", "ipc": None}, "cells": [CELL, OTHER]}],
    "answers": {CELL: ANSWER, OTHER: FAILED},
}


def changed(change: Callable[[Any], object]) -> str:
    content = copy.deepcopy(CONTENT)
    change(content)
    return json.dumps(content)


def answer(**values: Any) -> Callable[[Any], object]:
    return lambda content: content["answers"][CELL].update(values)


def result(**values: Any) -> Callable[[Any], object]:
    return lambda content: content["answers"][CELL]["result"].update(values)


def test_a_bundle_is_read_as_it_was_written() -> None:
    bundle = parse_bundle(json.dumps(CONTENT), "it")
    again = parse_bundle(bundle_text(bundle), "it")
    assert again == bundle and bundle_hash(again) == bundle_hash(bundle)
    assert again.rows[0].keys == {"method": "full", "ipc": None}, "what is none is said"
    (first, second) = again.answers_of(again.rows[0])
    assert first.result == {"accuracy": 0.5, "heldout_accuracy": None, "n_test": 4} and second.result is None
    assert first.right is not None and first.right.images().tolist() == [True, False, True, False]
    assert [one.name for one in again.stands_on(first)] == ["distillers/dm"]


def test_a_part_of_a_run_may_have_more_seeds_than_the_others() -> None:
    def told(part: str) -> str:
        return changed(lambda content: content["config"].update(seeds=1, suites=["dc-bench", part]))

    assert parse_bundle(told("accuracy:seeds=2:full_recipe=none"), "it").rows
    with pytest.raises(BadInput, match="2 results, and 1 seeds were asked"):
        parse_bundle(told("accuracy:full_recipe=none"), "it")


def test_a_name_is_one_bundle_and_the_same_one_twice_changes_nothing(tmp_path: Path, database: str) -> None:
    bundle = parse_bundle(json.dumps(CONTENT), "it")
    other = parse_bundle(changed(lambda content: content.update(seconds=13.0)), "it")
    with open_store(database) as store:
        assert [one.state for one in store.bundles.add([bundle])] == ["new"]
        assert [one.state for one in store.bundles.add([bundle])] == ["known"]
        with pytest.raises(BadInput, match="other results called 'talk': --replace"):
            store.bundles.add([other])
        assert store.bundles.all() == [bundle]
        assert [one.state for one in store.bundles.add([other], replace=True)] == ["replaced"]
        assert store.bundles.all() == [other] and store.bundles.names() == ["talk"]
        assert store.results.counts() == {}, "no cell was made"


def test_of_several_bundles_all_or_none_are_kept(tmp_path: Path, database: str) -> None:
    bundle = parse_bundle(json.dumps(CONTENT), "it")
    first = parse_bundle(changed(lambda content: content.update(name="first")), "it")
    with open_store(database) as store:
        store.bundles.add([parse_bundle(changed(lambda content: content.update(seconds=13.0)), "it")])
        with pytest.raises(BadInput):
            store.bundles.add([first, bundle])
        assert store.bundles.names() == ["talk"]


def test_another_store_brings_its_bundles(tmp_path: Path) -> None:
    bundle = parse_bundle(json.dumps(CONTENT), "it")
    with open_store(str(tmp_path / "x.db")) as ours, open_store(str(tmp_path / "y.db")) as theirs:
        theirs.bundles.add([bundle, parse_bundle(changed(lambda content: content.update(name="other")), "it")])
        ours.bundles.add([parse_bundle(changed(lambda content: content.update(seconds=13.0)), "it")])
        assert ours.bundles.bring(theirs.bundles) == (["talk"], [])
        with theirs.database.write() as connection:
            connection.exec_driver_sql(
                """UPDATE bundles SET content = '{"kind": 1}', hash = 'x' WHERE name = 'other'"""
            )
        differ, (unread,) = ours.bundles.bring(theirs.bundles)
        assert differ == ["talk"] and "what this store has of 'other' is not a bundle of results" in unread
        assert ours.bundles.names() == ["other", "talk"]


def test_a_store_from_before_gets_the_table(tmp_path: Path) -> None:
    open_store(str(tmp_path / "x.db")).close()
    downgrade(tmp_path / "x.db", "0005")
    with open_store(str(tmp_path / "x.db")) as store:
        assert isinstance(store.bundles, Bundles) and store.bundles.all() == []


REFUSED = {
    "not JSON": ("{", "not a bundle of results: it is not JSON"),
    "another file": ('{"some": 1}', "not a bundle of results: `stillproof db export-results`"),
    "a list": ("[1]", "not a bundle of results: `stillproof db export-results`"),
    "a newer schema": (changed(lambda c: c.update(schema=2)), "has schema 2, and this version of Stillproof reads 1"),
    "too accurate": (changed(result(accuracy=1.7)), "accuracy = 1.7 is not allowed: a share of images"),
    "deep inside": (changed(result(tried=[{"accuracy": -0.1}])), "accuracy = -0.1 is not allowed"),
    "negative time": (changed(answer(seconds=-1.0)), "seconds = -1.0 is not allowed"),
    "negative time inside": (changed(result(seconds=-1.0)), "seconds = -1 is not allowed: it cannot be below zero"),
    "no images": (changed(result(n_test=0)), "n_test = 0 is not allowed: it counts images"),
    "other images": (changed(result(accuracy=0.75)), "accuracy = 0.75 contradicts its images, of which 0.5 are right"),
    "fewer images": (changed(result(n_test=5)), "it has 5 images, and the bits are of 4"),
    "bits of more images": (changed(answer(right={"n": 400, "bits": "oA=="})), "400 images take 50 bytes"),
    "no base64": (changed(answer(right={"n": 4, "bits": "!!!!"})), "not base64"),
    "not a number": (json.dumps(CONTENT).replace("12.0", "NaN"), "it has NaN, which is no number"),
    "infinite": (json.dumps(CONTENT).replace("12.0", "1e999"), "it has 1e999, which is no number"),
    "huge": (changed(result(loss=10**200)), "loss has a number that no answer comes near"),
    "a long text": (changed(lambda c: c.update(suite="x" * 10_000_000)), "suite = 'xxx"),
    "a long text inside": (changed(result(notes="x" * 30_000)), "notes is a text of 30000 letters"),
    "a terminal's commands": (changed(lambda c: c.update(suite="\x1b[2J")), "letters that cannot be shown"),
    "more results than seeds": (changed(lambda c: c["config"].update(seeds=1)), "2 results, and 1 seeds were asked"),
    "a row twice": (changed(lambda c: c["rows"].append(c["rows"][0])), "two of its rows say the same of themselves"),
    "a row of a list": (changed(lambda c: c["rows"][0]["keys"].update(method=["dm"])), "method of a row is no text"),
    "a row of a dict": (
        changed(lambda c: c["rows"][0]["keys"].update(attack={})),
        "attack of a row is no single value",
    ),
    "a row of no size": (changed(lambda c: c["rows"][0]["keys"].update(ipc="one")), "ipc of a row is no number of"),
    "no number of images": (changed(result(n_test={"a": 1})), "n_test of an answer is no number of images"),
    "a truth for a share": (changed(result(accuracy=True)), "accuracy is no number"),
    "one cell twice": (changed(lambda c: c["rows"][0].update(cells=[CELL, CELL])), "one cell for two seeds"),
    "a cell without answer": (changed(lambda c: c["answers"].pop(OTHER)), "of which the bundle says nothing"),
    "no question": (changed(lambda c: c["questions"].clear()), "is not among the questions"),
    "no component": (changed(lambda c: c["components"].clear()), "a component that is not in the list"),
    "done without result": (changed(lambda c: c["answers"][CELL].pop("result")), "that is done has no result"),
    "failed with result": (changed(answer(state="failed")), "that is failed has a result"),
    "something else": (changed(lambda c: c.update(more=1)), "it has more, which this version does not know"),
    "something missing": (changed(lambda c: c.pop("rows")), "it lacks rows"),
    "a bad name": (changed(lambda c: c.update(name="../x")), "'../x' is not a name for results"),
    "a bad day": (changed(lambda c: c.update(date="yesterday")), "'yesterday' is no day"),
    "nested": (changed(result(deep=json.loads("[" * 50 + "]" * 50))), "nested more than"),
    "bottomless": ("[" * 100_000, "not a bundle of results: it is not JSON"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_true_is_one_sentence(tmp_path: Path, what: str) -> None:
    text, said = REFUSED[what]
    file = tmp_path / "results.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_bundle(file)
    sentence = str(caught.value)
    assert said in sentence and str(file) in sentence
    assert sentence.endswith(".") and "\n" not in sentence and len(sentence) < 400 + len(str(file)), sentence


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: it does not exist"):
        read_bundle(tmp_path / "none.json")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="it is not UTF-8 text"):
        read_bundle(tmp_path / "x.json")
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(BadInput, match="more than 20 MB"):
        read_bundle(tmp_path / "large.json")


def test_a_model_that_answers_at_random_has_the_mean_of_its_draws() -> None:
    bundle = parse_bundle(changed(result(accuracy=0.6, draws=20)), "it")
    assert bundle.answers[CELL].number("accuracy") == 0.6 and bundle.answers[CELL].number("heldout_accuracy") is None


def test_images_are_packed_and_unpacked() -> None:
    import numpy as np

    right = np.array([True] * 5 + [False] * 6)
    assert Right.of(right).images().tolist() == right.tolist()
