from __future__ import annotations

import csv
import io
from typing import Any

from stillproof.report.formats import header, text_rows, to_csv, to_latex, to_markdown
from stillproof.report.tables import Line
from stillproof.score.stats import summarise


def keys(method: str, ipc: int | None) -> dict[str, Any]:
    return {
        "dataset": "digits",
        "method": method,
        "ipc": ipc,
        "network": "convnet_1",
        "recipe": "smoke",
        "protocol": "fair",
        "selection": "last",
    }


LINES = [
    Line(keys("full", None), summarise([0.75, 0.875, 1.0]), 0),
    Line(keys("random", 1), summarise([0.5]), 0),
    Line(keys("herding", 1), summarise([0.5, 0.75]), 1, ("it broke",)),
    Line(keys("dm", 1), None, 3, ("no space",)),
]


def test_text_is_percent_with_dashes_where_nothing_is_known() -> None:
    full, one, some, none = text_rows(LINES)
    assert dict(zip(header(LINES), full, strict=True)) == {
        "data set": "digits",
        "network": "convnet_1",
        "method": "full",
        "ipc": "all",
        "accuracy %": "87.5",
        "95 % interval": "56.4 to 118.6",
        "n": "3",
        "recipe": "smoke",
        "selection": "last",
        "protocol": "fair",
    }
    assert one[3:7] == ("1", "50.0", "-", "1")
    assert some[4] == "62.5" and some[6] == "2 (1 missing)"
    assert none[4:7] == ("-", "-", "0 (3 missing)")


def test_csv_has_fractions_and_empty_cells_where_nothing_is_known() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(LINES))))
    assert [row["mean"] for row in rows] == ["0.875", "0.5", "0.625", ""]
    assert [(row["std"], row["ci95_low"], row["n"]) for row in rows][1:] == [
        ("", "", "1"),
        (rows[2]["std"], rows[2]["ci95_low"], "2"),
        ("", "", "0"),
    ]
    assert float(rows[0]["std"]) > 0 and float(rows[0]["ci95_low"]) < 0.875 < float(rows[0]["ci95_high"])
    assert [row["missing"] for row in rows] == ["0", "0", "1", "3"] and [row["ipc"] for row in rows][:2] == ["", "1"]


def test_markdown_and_latex_have_one_line_a_row() -> None:
    lines = to_markdown(LINES).splitlines()
    assert len(lines) == 6 and {line.count("|") for line in lines} == {len(header(LINES)) + 1}
    assert lines[5].startswith("| digits | convnet_1 | dm | 1 | - | - | 0 (3 missing) |")
    latex = to_latex(LINES).splitlines()
    body = [line for line in latex if line.endswith(r"\\")]
    assert len(body) == 5 and {line.count("&") for line in body} == {len(header(LINES)) - 1}
    assert r"accuracy \%" in body[0] and r"convnet\_1" in body[1]
    columns = latex[0].removeprefix(r"\begin{tabular}{").removesuffix("}")
    assert len(columns) == len(header(LINES)) and latex[-1] == r"\end{tabular}"


def test_no_rows_are_a_table_too() -> None:
    assert to_csv([]) == "mean,std,n,ci95_low,ci95_high,missing\n"
    assert len(to_markdown([]).splitlines()) == 2


def test_json_has_no_numbers_where_nothing_is_known() -> None:
    assert LINES[3].as_dict()["accuracy"] is None and LINES[3].as_dict()["notes"] == ["no space"]
    assert LINES[1].as_dict()["accuracy"] == {"mean": 0.5, "std": None, "n": 1, "ci95": None}


def test_a_suite_with_other_keys_has_a_table_too() -> None:
    lines = [Line({"method": "dm", "attack": "pgd"}, summarise([0.5]), 0)]
    assert header(lines) == ("method", "accuracy %", "95 % interval", "n", "attack")
    assert text_rows(lines) == [("dm", "50.0", "-", "1", "pgd")]
