"""Tables and scores in a notebook, in a terminal and as data frames."""

from __future__ import annotations

import dataclasses
import sys
from html.parser import HTMLParser
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.answers import Score
from stillproof.core.errors import BadInput
from stillproof.report.compare.table import Comparisons
from stillproof.report.tables.layout import laid_out
from stillproof.report.tables.markup import html_table
from stillproof.report.tables.table import Column, Table
from stillproof.score.stats import Summary, summarise_accuracies

TABLE = Table(
    "t",
    "<b>Accuracy</b>",
    [Column("method", "method"), Column("accuracy", "accuracy %", Summary)],
    [{"method": "<script>x()</script>", "accuracy": Summary(0.5, 0.1, 2, (0.4, 0.6))}, {"method": "b"}],
    ["a & b"],
)
SCORE = Score(
    accuracy=summarise_accuracies([0.5, 0.6], 100),
    per_seed=[0.5, 0.6],
    by_class=[],
    models=["m0", "m1"],
    trained_on="0123",
    name="<i>mine</i>",
    dataset="digits",
    network="mlp",
    recipe="smoke",
    selection="last",
    points=1,
    n_test=100,
    caveats=["mind this"],
)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=8)


class Cells(HTMLParser):
    """The texts of all cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td")
        self._inside = tag in ("th", "td")
        self.found += [""] * self._inside

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data


@given(st.text(max_size=5), st.lists(st.tuples(TEXTS, TEXTS), max_size=3))
def test_html_shows_every_cell_to_the_letter(title: str, rows: list[tuple[str, str]]) -> None:
    page = html_table(title, ["<a>", "b"], rows, [False, True])
    assert Cells(page).found == ["<a>", "b", *(cell for row in rows for cell in row)]


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=3))
def test_columns_of_plain_text_begin_and_end_at_the_same_place(rows: list[tuple[str, str]]) -> None:
    first = max(len(cell) for cell in ("first", *(row[0] for row in rows)))
    lines = laid_out(["first", "second"], rows, [False, True], None).splitlines()
    assert len(lines) == 2 + len(rows)
    for (left, right), line in zip([("first", "second"), *rows], [lines[0], *lines[2:]], strict=True):
        padded = line.ljust(len(lines[1]))
        assert padded[:first] == left.ljust(first)
        assert padded[first + 2 :].rstrip() == right.rjust(len(lines[1]) - first - 2).rstrip()


def test_tables_show_themselves_in_a_notebook_and_in_a_terminal() -> None:
    page = TABLE._repr_html_()
    assert "&lt;script&gt;" in page and "<script>" not in page and "&lt;b&gt;" in page and "a &amp; b" in page
    lines = repr(TABLE).splitlines()
    assert lines[0] == "<b>Accuracy</b>" and "50.0 (40.0 to 60.0)" in lines[3] and lines[-1] == "a & b"


def test_a_score_says_all_that_belongs_beside_it() -> None:
    lines = repr(SCORE).splitlines()
    assert lines[0].startswith("accuracy 55.00 % (95 % interval ") and lines[0].endswith("n = 2")
    assert lines[1] == "mlp on <i>mine</i>, recipe smoke, last epoch, 100 test images"
    chosen = dataclasses.replace(SCORE, selection="heldout", points=3)
    assert "recipe smoke, epoch chosen on held-out training images (3 measured)" in repr(chosen)
    assert lines[2:] == ["note: mind this"]
    page = SCORE._repr_html_()
    assert "&lt;i&gt;mine&lt;/i&gt;" in page and "<i>" not in page and "mind this" in page and "55.0" in page


class Frame:
    """What pandas is told."""

    def __init__(self, data: list[Any], columns: list[str]) -> None:
        assert all(len(row) == len(columns) for row in data)
        self.columns, self.rows = columns, [dict(zip(columns, row, strict=True)) for row in data]


def test_data_frames_have_fractions_and_a_column_for_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = ModuleType("pandas")
    pandas.DataFrame = Frame  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    frame = TABLE.to_dataframe()
    assert frame.columns == ["method", *(f"accuracy_{part}" for part in ("mean", "std", "n", "ci95_low", "ci95_high"))]
    assert frame.rows[0]["accuracy_ci95_low"] == 0.4 and frame.rows[1]["accuracy_mean"] is None
    seeds = SCORE.to_dataframe().rows
    assert [(row["seed"], row["accuracy"], row["model"]) for row in seeds] == [(0, 0.5, "m0"), (1, 0.6, "m1")]
    assert seeds[0]["name"] == "<i>mine</i>" and seeds[0]["network"] == "mlp"


@pytest.mark.parametrize("shown", [TABLE, SCORE, Comparisons("sets", None, [])], ids=lambda one: type(one).__name__)
def test_without_pandas_one_sentence_says_how_to_get_it(shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(BadInput, match=r"needs pandas, which is not installed here: `pip install pandas`\."):
        shown.to_dataframe()
