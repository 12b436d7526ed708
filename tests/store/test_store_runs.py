from __future__ import annotations

from collections.abc import Iterator

import pytest

from stillproof.core.errors import BadInput
from stillproof.store.store import Store, open_store

ROWS = [{"method": "dm", "cells": ["a", "b"]}, {"method": "random", "cells": ["b"]}]


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with open_store(database) as opened:
        yield opened


def test_a_command_that_is_given_again_is_the_same_run_and_the_newest(store: Store) -> None:
    first = store.results.save_run("accuracy", {"ipc": [1]}, ROWS)
    other = store.results.save_run("accuracy", {"ipc": [10]}, ROWS)
    assert store.results.save_run("accuracy", {"ipc": [1]}, ROWS) == first != other
    assert [run.id for run in store.results.runs()] == [first, other]
    last = store.results.last_run("accuracy")
    assert last is not None and last.id == first and last.created < last.asked and last.cells == ["a", "b"]


def test_a_name_and_a_note_stay_until_others_are_given(store: Store) -> None:
    number = store.results.save_run("accuracy", {}, ROWS, name="first", note="before the talk")
    store.results.save_run("accuracy", {}, ROWS)
    store.results.save_run("accuracy", {}, ROWS, name="first")
    (run,) = store.results.runs()
    assert (run.id, run.name, run.note) == (number, "first", "before the talk")
    store.results.save_run("accuracy", {}, ROWS, name="second", note="after it")
    (run,) = store.results.runs()
    assert (run.id, run.name, run.note) == (number, "second", "after it")


@pytest.mark.parametrize(("name", "words"), [("first", "run 1 is called 'first' already"), ("accuracy", "of a suite")])
def test_a_name_means_one_run(store: Store, name: str, words: str) -> None:
    store.results.save_run("accuracy", {}, ROWS, name="first")
    with pytest.raises(BadInput, match=words):
        store.results.save_run("dc-bench", {}, ROWS, name=name)
    assert len(store.results.runs()) == 1


@pytest.mark.parametrize("name", ["", "  ", "7"])
def test_a_name_cannot_be_mistaken_for_a_number(store: Store, name: str) -> None:
    with pytest.raises(BadInput, match="with a letter in it"):
        store.results.save_run("accuracy", {}, ROWS, name=name)
    assert store.results.runs_and_calls() == []


def test_a_single_call_is_no_run_of_a_suite(store: Store) -> None:
    call = store.results.save_run("", {}, ROWS[:1], verb="train")
    run = store.results.save_run("accuracy", {}, ROWS[:1])
    assert [one.id for one in store.results.runs()] == [run]
    assert [(one.id, one.verb) for one in store.results.runs_and_calls()] == [(run, "run"), (call, "train")]
    assert store.results.last_run("") is None
