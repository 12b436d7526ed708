from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from matplotlib.figure import Figure

from stillproof.core.components import suites
from stillproof.core.errors import PluginError, UnknownName
from stillproof.report.captions import Basis
from stillproof.report.rows import Rows
from stillproof.report.run_report import RunReport, report_of
from stillproof.report.runs import newest_run
from stillproof.report.section import Section, sections_named
from stillproof.report.tables.table import Table
from stillproof.store.store import open_store


def counted(name: str) -> Section[None]:
    def tables(rows: Rows) -> list[Table]:
        return [Table(name, f"{len(rows[name])} rows, {len(rows.get('helper', []))} helpers", (), [])]

    def figures(rows: Rows) -> dict[str, Figure]:
        return {name: Figure()}

    return Section(name, None, tables, figures)


@pytest.fixture
def two() -> Iterator[str]:
    @suites.register("two", version=1)
    @dataclass(frozen=True)
    class Two:
        presets: ClassVar[Sequence[Any]] = ()
        reports: ClassVar[Sequence[Section[Any]]] = (counted("first"), counted("second"))

        def rows(self) -> list[Any]:
            return []

    yield "two"
    suites.remove(__name__)


def report(folder: Path, rows: list[dict[str, Any]], wanted: Sequence[str] | None = None) -> RunReport:
    with open_store(str(folder / "s.db")) as store:
        store.results.save_run("two", {}, [{**row, "cells": []} for row in rows])
        return report_of(store, newest_run(store, "two"), wanted)


def test_sections_that_were_asked_for_are_shown_with_the_rows_of_all(tmp_path: Path, two: str) -> None:
    rows = [{"section": name} for name in ("second", "helper", "second")]
    shown = report(tmp_path, rows)
    assert [(table.name, table.title) for table in shown.tables()] == [("second", "2 rows, 1 helpers")]
    assert list(shown.figures()) == ["two-second"]
    assert len(shown.as_dict()["rows"]) == 3


def test_a_row_that_names_no_section_belongs_to_the_first(tmp_path: Path, two: str) -> None:
    rows: list[dict[str, Any]] = [{"method": "dm"}, {"section": "second"}]
    assert [table.title for table in report(tmp_path, rows).tables()] == ["1 rows, 0 helpers"] * 2


def test_some_sections_alone(tmp_path: Path, two: str) -> None:
    rows = [{"section": "first"}, {"section": "second"}]
    assert [table.name for table in report(tmp_path, rows, ["second"]).tables()] == ["second"]
    assert [table.name for table in report(tmp_path, rows, ["second", "first", "second"]).tables()] == [
        "second",
        "first",
    ]
    with pytest.raises(UnknownName, match="unknown section 'secnd'; did you mean 'second'"):
        report(tmp_path, rows, ["secnd"])
    with pytest.raises(UnknownName, match="choose one of first"):
        report(tmp_path, rows[:1], ["second"])


def test_rows_of_sections_that_a_suite_no_longer_has_are_one_accuracy_table(tmp_path: Path, two: str) -> None:
    (table,) = report(tmp_path, [{"section": "gone"}, {"section": "lost"}]).tables()
    assert table.name == "two" and [row["section"] for row in table.rows] == ["gone", "lost"]


def test_a_suite_that_cannot_be_found_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="stillproof"):
        (table,) = report(tmp_path, [{"section": "first"}]).tables()
    assert table.name == "two" and "suite 'two' is not installed here" in caplog.text


def test_a_suite_that_cannot_be_imported_is_named(
    tmp_path: Path, two: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> type[Any]:
        raise PluginError(f"suite {name!r}: importing it failed.")

    monkeypatch.setattr(suites, "get", fail)
    with caplog.at_level(logging.WARNING, logger="stillproof"):
        (table,) = report(tmp_path, [{"section": "first"}]).tables()
    assert table.name == "two" and "importing it failed. Therefore, its accuracies are shown" in caplog.text


def test_sections_are_found_by_name() -> None:
    first, second = counted("first"), counted("second")
    assert sections_named([first, second], ["second"]) == [second]
    assert second.rows is None and Section("bare", None, lambda rows: []).figures({}) == {}


def test_a_basis_says_only_what_there_is() -> None:
    assert Basis("fair", "last", "digits").sentence() == "digits; protocol fair; last epoch."
    assert Basis("", "", "digits").sentence() == "digits." and Basis("", "").sentence() == ""
