from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stillproof.core.errors import BadInput
from stillproof.core.spec import digest
from stillproof.report.runs import called, chosen_run, find_run, find_run_or_call
from stillproof.store.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "x.db")) as opened:
        opened.results.save_run("accuracy", {}, [], name="first")
        opened.results.save_run("accuracy", {"ipc": [10]}, [])
        opened.results.save_run("dc-bench", {}, [], name="beef")
        opened.results.save_run("", {}, [{"cells": []}], verb="train")
        yield opened


@pytest.mark.parametrize(("text", "number"), [("1", 1), ("first", 1), ("accuracy", 2), ("beef", 3), ("dc-bench", 3)])
def test_a_run_is_found_by_number_name_or_suite(store: Store, text: str, number: int) -> None:
    assert find_run(store, text).id == number


def test_a_run_is_found_by_its_hash_or_the_beginning_of_it(store: Store) -> None:
    for run in store.results.runs():
        assert find_run(store, run.hash).id == find_run(store, run.hash[:8]).id == run.id


def test_a_beginning_that_several_have_is_refused(store: Store) -> None:
    begun: dict[str, int] = {}
    number, asks = 0, ""
    while begun.setdefault(asks[:4], number) == number:  # two runs whose hashes begin alike
        number += 1
        asks = _hash({"number": number})
    for config in ({"number": begun[asks[:4]]}, {"number": number}):
        store.results.save_run("accuracy", config, [])
    with pytest.raises(BadInput, match=f"'{asks[:4]}' is the beginning of 2 runs: write more of it"):
        find_run(store, asks[:4])


def _hash(config: dict[str, Any]) -> str:
    return digest({"verb": "run", "suite": "accuracy", "config": config, "rows": []})


@pytest.mark.parametrize(
    ("text", "words"),
    [("frist", "did you mean 'first'"), ("9", "`stillproof status` lists them"), ("4", "no run '4'")],
)
def test_what_names_no_run_is_refused(store: Store, text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        find_run(store, text)


def test_a_single_call_is_found_where_it_can_be_removed(store: Store) -> None:
    assert (
        called(find_run_or_call(store, "4")) == "train 4"
        and called(find_run_or_call(store, "first")) == "run 1 'first'"
    )


def test_a_table_is_of_the_run_that_is_named_or_of_the_newest(store: Store) -> None:
    assert chosen_run(store, "accuracy", None).id == 2 and chosen_run(store, "accuracy", "1").id == 1
    assert chosen_run(store, None, "beef").suite == "dc-bench"
    with pytest.raises(BadInput, match=r"run 3 'beef' is of suite 'dc-bench', not 'accuracy'"):
        chosen_run(store, "accuracy", "beef")
    with pytest.raises(BadInput, match="name a suite, or a run"):
        chosen_run(store, None, None)
