from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.report.published import Published
from stillproof.report.tables.formats import to_csv, to_csv_with_notes, to_json, to_markdown
from stillproof.report.tables.latex import to_latex
from stillproof.report.tables.markup import latex, markdown
from stillproof.report.tables.table import (
    Bytes,
    Column,
    Difference,
    Number,
    OutOf,
    Percent,
    Radius,
    Seconds,
    Share,
    Table,
    Value,
)
from stillproof.report.tables.text import shown, text_of
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary, summarise, summarise_accuracies

THREE = Summary(0.29, 0.01, 3, (0.284, 0.295))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ("dm", "dm"),
        (7, "7"),
        (THREE, "29.0 (28.4 to 29.5)"),
        (summarise([0.5]), "50.0"),
        (Difference(Summary(0.012, 0.01, 2, (-0.0001, 0.0241))), "+1.2 (+0.0 to +2.4)"),
        (Difference(summarise([-0.00001])), "+0.0"),
        (Estimate(0.7487, (0.6, 0.881)), "0.75 (0.60 to 0.88)"),
        (Estimate(-0.5, None), "-0.50"),
        (Estimate(None, None, "too few"), "-"),
        (Percent(0.9191), "91.9"),
        (Percent(0.9191, 2), "91.91"),
        (Share(0.6713, (0.6211, 0.7178)), "67.13 (62.1 to 71.8)"),
        (Number(0.012345), "0.0123"),
        (Number(17.64, ".1f"), "17.6"),
        (OutOf(1, 3), "1 of 3"),
        (OutOf(0, 0, "not checked"), "not checked"),
        (Radius(8 / 255), "8/255"),
        (Radius(0.1), "0.1"),
        (Published(0.31, "Table 4", "A paper"), "31.00"),
        (Seconds(0.0812), "0.0812 s"),
        (Seconds(119.0), "119 s"),
        (Seconds(200.0), "3.33 min"),
        (Seconds(7200.0), "2 h"),
        (Seconds(200_000.0), "2.31 days"),
        (Bytes(999), "999 B"),
        (Bytes(812_345_678), "812 MB"),
        (Bytes(12_300_000_000), "12.3 GB"),
    ],
)
def test_people_read_percent_intervals_and_units(value: Value, text: str) -> None:
    assert text_of(value) == text


COLUMNS = (
    Column("dataset", "data set", fold="same"),
    Column("method", "method"),
    Column("ipc", "ipc", int, absent="all"),
    Column("accuracy", "accuracy %", Summary),
    Column("rho", "rho", Estimate),
    Column("published", "published %", Published, "empty"),
    Column("recipe", "recipe", fold="always"),
    Column("selection", "selection", fold="same"),
)


def table(*rows: dict[str, Value]) -> Table:
    same = {"dataset": "digits", "selection": "oracle", "recipe": "quick"}
    return Table("t", "A title", COLUMNS, [{**same, **row} for row in rows], ["a note"])


def test_what_all_rows_share_is_said_once_below() -> None:
    text = shown(
        table({"method": "dm", "ipc": 1, "accuracy": THREE}, {"method": "x", "accuracy": THREE, "recipe": "r"})
    )
    assert text.header == ["method", "ipc", "accuracy %", "rho"] and text.numbers == [False, True, True, True]
    assert text.rows[1] == ["x", "all", "29.0 (28.4 to 29.5)", "-"]
    assert text.notes == [
        "digits; recipe quick, r; ORACLE: best epoch on the test set.",
        "Means over n = 3 seeds; in brackets: Student's 95 % interval.",
        "a note",
    ]


def test_n_has_a_column_where_it_differs() -> None:
    text = shown(
        table({"method": "a", "accuracy": THREE}, {"method": "b", "accuracy": summarise([0.5])}, {"method": "c"})
    )
    assert text.header[-1] == "n" and [row[-1] for row in text.rows] == ["3", "1", "0"]
    within = shown(table({"accuracy": THREE, "rho": None, "other": Difference(summarise([0.1, 0.2]))}))
    assert within.rows[0][-1] == "2 to 3"


def test_one_seed_is_said_to_be_one() -> None:
    assert "One seed (n = 1), so no intervals over seeds." in shown(table({"accuracy": summarise([0.5])})).notes


def test_programs_read_fractions_and_intervals_in_columns_of_their_own() -> None:
    rows = table(
        {"method": "dm", "accuracy": THREE, "rho": Estimate(0.5, None), "published": Published(0.31, "T", "P")}, {}
    )
    assert to_csv_with_notes(rows) == f"# t: A title\n# a note\n{to_csv(rows)}"
    first, second = csv.DictReader(io.StringIO(to_csv(rows)))
    assert (first["accuracy_mean"], first["accuracy_std"], first["accuracy_n"]) == ("0.29", "0.01", "3")
    assert (first["accuracy_ci95_low"], first["accuracy_ci95_high"]) == ("0.284", "0.295")
    assert (first["rho_value"], first["rho_ci95_low"], first["published"]) == ("0.5", "", "0.31")
    assert first["dataset"] == second["dataset"] == "digits" and second["accuracy_mean"] == second["rho_value"] == ""


def test_json_has_every_column_of_every_row() -> None:
    rows = table(
        {"method": "dm", "accuracy": THREE, "published": Published(0.31, "Table 4", "A paper")},
        {"rho": Estimate(0.1, None)},
    )
    found = json.loads(json.dumps(to_json(rows), allow_nan=False))
    keys = [column["key"] for column in found["columns"]]
    assert all(list(row) == keys for row in found["rows"]) and found["notes"] == ["a note"]
    assert found["rows"][0]["accuracy"] == THREE.as_dict() and found["rows"][0]["published"]["mean"] == 0.31
    assert found["rows"][1]["rho"] == {"value": 0.1, "ci95": None, "reason": ""}


def test_numbers_stay_numbers_until_people_read_them() -> None:
    row: dict[str, Value] = {"clean": Percent(0.97214, 2), "robust": Share(0.5, (0.4, 0.6))}
    row |= {"passes": Number(17.6543, ".1f"), "eps": Radius(8 / 255)}
    row |= {"rung": OutOf(1, 3)}
    columns = [Column(key, key, type(value)) for key, value in row.items()]
    rows = Table("t", "A title", columns, [row, {}])
    assert shown(rows).numbers == [True] * 5
    known, unknown = to_json(rows)["rows"]
    told = {"clean": 0.97214, "robust": {"value": 0.5, "ci95": [0.4, 0.6]}, "passes": 17.6543, "eps": 8 / 255}
    told |= {"rung": {"count": 1, "total": 3}}
    assert known == told and unknown == dict.fromkeys(row)
    assert to_csv(rows).splitlines() == [
        "clean,robust_value,robust_ci95_low,robust_ci95_high,passes,eps,rung_count,rung_total",
        f"0.97214,0.5,0.4,0.6,17.6543,{8 / 255},1,3",
        ",,,,,,,",
    ]


def test_markdown_and_latex_carry_title_and_notes() -> None:
    rows = table({"method": "a_b|c", "accuracy": THREE})
    text = to_markdown(rows)
    assert text.startswith("### A title\n\n| method |") and r"| a_b\|c | all |" in text and text.endswith("- a note\n")


def test_latex_is_a_float_with_caption_and_label() -> None:
    source = to_latex(table({"method": "a_b|c <1 %", "accuracy": THREE}), "dc-bench")
    assert "\\begin{table}[t]\n\\centering\n\\caption{A title. " in source and source.endswith("\\end{table}\n")
    assert "a note}\n\\label{tab:dc-bench-t}\n\\begin{tabular}{lrrr}\n" in source
    assert r"a\_b$|$c $<$1 \% & all" in source and "\\pm" not in source


def test_intervals_that_are_symmetric_may_have_a_plus_minus_sign() -> None:
    symmetric = summarise([0.5, 0.6, 0.7])
    rows = table({"accuracy": symmetric}, {"accuracy": summarise_accuracies([0.5, 0.6, 0.8], 100)})
    first, second = shown(rows, plus_minus=True).rows
    assert "60.0 \u00b1 24.8" in first and second == shown(rows).rows[1] and "(" in "".join(second)
    assert "after \u00b1, or in brackets where it is not symmetric: Student's" in " ".join(
        shown(rows, plus_minus=True).notes
    )
    assert r"60.0 $\pm$ 24.8" in to_latex(rows, plus_minus=True)
    assert text_of(Difference(symmetric), plus_minus=True) == "+60.0 \u00b1 24.8"


@given(st.lists(st.lists(st.text("&%$#_{}\\~^|ab ", max_size=6), min_size=2, max_size=2), max_size=4))
def test_no_cell_breaks_out_of_its_table(rows: list[list[str]]) -> None:
    lines = latex(["a", "b"], rows, [False, True]).splitlines()
    body = lines[4:-2]
    assert len(body) == len(rows)
    for line in body:
        bare = line.removesuffix(r" \\")
        assert sum(bare[i] == "&" and bare[i - 1] != "\\" for i in range(len(bare))) == 1
    marked = markdown(["a", "b"], rows).splitlines()
    assert len(marked) == len(rows) + 2
    assert all(line.count("|") - line.count(r"\|") == 3 for line in marked)


def test_a_value_of_another_kind_keeps_the_columns_of_a_file_straight() -> None:
    column = Column("value", "value", Summary)
    rows = [{"value": value} for value in (Seconds(2.0), Estimate(0.5, (0.1, 0.9)), summarise([0.2, 0.4]))]
    header, *lines = (line.split(",") for line in to_csv(Table("mixed", "Mixed", [column], rows)).splitlines())
    assert header[0] == "value_mean" and {len(line) for line in lines} == {len(header)}
    assert lines[0] == ["2.0", "", "", "", ""] and lines[1] == ["0.5", "", "", "0.1", "0.9"]
