from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from stillproof.core.errors import UnknownName
from stillproof.core.spec import Json, digest
from stillproof.report.run_report import RunReport, report_of
from stillproof.report.runs import find_run
from stillproof.store.records import NewCell
from stillproof.store.store import Store, open_store

METHODS = ("full", "random", "dm", "dm:lr=3")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "x.db")) as opened:
        yield opened


def report(store: Store, suite: str, methods: Sequence[str] | None, rows: list[Json]) -> RunReport:
    """The report of a run all of whose rows have an answer."""
    asked = []
    for number, row in enumerate(rows):
        cell = digest(row)
        store.results.put([NewCell(cell, "select", {}, {})])
        if store.claims.claim([cell], "me", 60.0):
            store.claims.finish(cell, "me", {"accuracy": 0.1 * (number + 1), "n_test": 100}, 1.0, {})
        asked.append(row | {"cells": [cell]})
    number = store.results.save_run(suite, {}, asked)
    return report_of(store, find_run(store, str(number)), None, methods)


def accuracy_rows() -> list[Json]:
    keys = {"dataset": "digits", "network": "convnet-1", "recipe": "quick", "protocol": "fair", "selection": "last"}
    return [{**keys, "method": method, "ipc": None if method == "full" else 1} for method in METHODS]


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (None, METHODS),
        (["dm"], ("dm", "dm:lr=3")),
        (["dm:lr=3"], ("dm:lr=3",)),
        (["random", "full"], ("full", "random")),
    ],
)
def test_a_method_is_shown_with_all_of_its_parameters_or_those_that_are_named(
    store: Store, asked: list[str] | None, shown: tuple[str, ...]
) -> None:
    found = report(store, "accuracy", asked, accuracy_rows())
    (table,) = found.tables()
    assert tuple(line["method"] for line in table.rows) == shown
    assert tuple(row["method"] for row in found.as_dict()["rows"]) == shown
    assert list(found.figures()) == ["accuracy"]


def test_a_method_that_the_run_did_not_ask_for_is_refused(store: Store) -> None:
    with pytest.raises(UnknownName, match=r"unknown method 'mtt' of this run; choose one of dm, dm:lr=3, full, random"):
        report(store, "accuracy", ["mtt"], accuracy_rows())


def test_what_a_table_compares_with_is_not_lost(store: Store) -> None:
    keys = {"dataset": "digits", "network": "convnet-1", "home": "convnet-1", "recipe": "quick", "scale": "quick"}
    keys |= {"protocol": "fair", "selection": "last"}
    rows = [
        {**keys, "section": section, "method": method, "ipc": 1, "augmentation": augmentation}
        for section, augmentation in (("augmentation", "none"), ("augmentation", "dsa"), ("augmentation-choice", "dsa"))
        for method in ("random", "dm")
    ]
    whole = {table.name: table for table in report(store, "dc-bench", None, rows).tables()}
    narrow = {table.name: table for table in report(store, "dc-bench", ["dm"], rows).tables()}
    assert whole.keys() == narrow.keys()
    for name, table in whole.items():
        lines = [line for line in table.rows if line["method"] == "dm"]
        assert lines and list(narrow[name].rows) == lines


def test_sections_without_these_methods_are_left_out(store: Store) -> None:
    keys = {"dataset": "digits", "network": "convnet-1", "home": "convnet-1", "recipe": "quick", "scale": "quick"}
    rows = [
        {**keys, "section": "compression", "method": "dm", "ipc": 1},
        {**keys, "section": "k-center", "method": "k-center", "ipc": 1},
    ]
    assert [section.name for section in report(store, "dc-bench", ["dm"], rows).sections] == ["compression"]
