from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from stillproof.report.accuracy import accuracy_section, accuracy_table
from stillproof.report.answers import Answered
from stillproof.report.rows import missing_notes
from stillproof.report.tables.formats import to_csv, to_json, to_markdown
from stillproof.report.tables.latex import to_latex
from stillproof.report.tables.text import shown


def row(method: str, ipc: int | None, values: Sequence[float | None], *reasons: str, **more: Any) -> Answered:
    keys = {
        "dataset": "digits",
        "method": method,
        "ipc": ipc,
        "network": "convnet_1",
        "recipe": "smoke",
        "protocol": "fair",
        "selection": "last",
    }
    return Answered({**keys, **more}, [None if value is None else {"accuracy": value} for value in values], reasons)


ROWS = [
    row("full", None, [0.75, 0.875, 1.0], recipe="real"),
    row("random", 1, [0.5]),
    row("herding", 1, [0.5, 0.75, None], "it broke"),
    row("dm", 1, [None, None, None], "no space"),
]
TABLE = accuracy_table("accuracy", ROWS)


def test_text_is_percent_with_dashes_where_nothing_is_known() -> None:
    text = shown(TABLE)
    full, one, some, none = (dict(zip(text.header, line, strict=True)) for line in text.rows)
    assert full == {
        "method": "full",
        "ipc": "all",
        "accuracy %": "87.5 (56.4 to 118.6)",
        "missing": "0",
        "recipe": "real",
        "n": "3",
    }
    assert (one["ipc"], one["accuracy %"], one["n"]) == ("1", "50.0", "1")
    assert some["accuracy %"].startswith("62.5 (") and (some["n"], some["missing"]) == ("2", "1")
    assert (none["accuracy %"], none["n"], none["missing"]) == ("-", "0", "3")
    assert text.notes[0] == "digits; convnet_1; protocol fair; last epoch.", "what all rows share is said once"
    assert text.notes[2:] == ["Missing: it broke", "Missing: no space"]


def test_one_cause_is_one_note_however_many_cells_it_cost() -> None:
    befell = "ended as failed: RuntimeError('it ended as it began: badly')"
    reasons = [f"not computed: dm digits ipc 1 seed {seed} {befell}" for seed in range(3)]
    row = Answered({"method": "dm"}, [None] * 3, [*reasons, "no space"])
    other = Answered({"method": "dc"}, [None], [f"not computed: dc digits ipc 1 seed 0 {befell.replace('it', 'he')}"])
    assert missing_notes([row, other]) == [
        "Missing: no space",
        f"Missing: {other.reasons[0]}",
        f"Missing: not computed: dm digits ipc 1 seed 0 and 2 more {befell}",
    ]


def test_csv_has_fractions_and_empty_cells_where_nothing_is_known() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(TABLE))))
    assert [row["accuracy_mean"] for row in rows] == ["0.875", "0.5", "0.625", ""]
    assert [(row["accuracy_std"], row["accuracy_ci95_low"], row["accuracy_n"]) for row in rows][1:] == [
        ("", "", "1"),
        (rows[2]["accuracy_std"], rows[2]["accuracy_ci95_low"], "2"),
        ("", "", ""),
    ]
    assert float(rows[0]["accuracy_std"]) > 0
    assert float(rows[0]["accuracy_ci95_low"]) < 0.875 < float(rows[0]["accuracy_ci95_high"])
    assert [row["missing"] for row in rows] == ["0", "0", "1", "3"] and [row["ipc"] for row in rows][:2] == ["", "1"]
    assert {(row["dataset"], row["network"], row["protocol"], row["selection"]) for row in rows} == {
        ("digits", "convnet_1", "fair", "last")
    }, "programs find in every row what people find below the table"


def test_markdown_and_latex_have_one_line_per_row() -> None:
    width = len(shown(TABLE).header)
    lines = [line for line in to_markdown(TABLE).splitlines() if line.startswith("|")]
    assert len(lines) == 6 and {line.count("|") for line in lines} == {width + 1}
    assert lines[5] == "| dm | 1 | - | 3 | smoke | 0 |"
    latex = [line for line in to_latex(TABLE).splitlines() if not line.startswith("%")]
    body = [line for line in latex if line.endswith(r"\\")]
    assert len(body) == 5 and {line.count("&") for line in body} == {width - 1}
    assert r"accuracy \%" in body[0]
    assert r"\begin{tabular}{lrrrlr}" in latex and latex[-2:] == [r"\end{tabular}", r"\end{table}"]


def test_no_rows_are_a_table_too() -> None:
    empty = accuracy_table("accuracy", [])
    header = "accuracy_mean,accuracy_std,accuracy_n,accuracy_ci95_low,accuracy_ci95_high,missing"
    assert to_csv(empty).splitlines() == [header]
    assert to_markdown(empty) and shown(empty).rows == []


def test_json_has_no_numbers_where_nothing_is_known() -> None:
    assert ROWS[3].as_dict()["accuracy"] is None and ROWS[3].as_dict()["notes"] == ["no space"]
    assert ROWS[1].as_dict()["accuracy"] == {"mean": 0.5, "std": None, "n": 1, "ci95": None}
    found = to_json(TABLE)["rows"]
    assert found[3]["accuracy"] is None and found[1]["accuracy"] == ROWS[1].as_dict()["accuracy"]


def test_a_suite_with_other_keys_has_a_table_and_bars_too() -> None:
    rows = [
        Answered({"method": "dm", "attack": attack, "norms": [1, 2], "eps": 0.5}, [{"accuracy": 0.5}])
        for attack in ("pgd", "fgsm")
    ]
    section = accuracy_section("mine")
    (table,) = section.tables({"mine": rows})
    text = shown(table)
    assert text.header == ["method", "accuracy %", "attack"]
    assert text.rows == [["dm", "50.0", "pgd"], ["dm", "50.0", "fgsm"]]
    assert text.notes[0] == "norms [1, 2]; eps 0.5."
    assert list(section.figures({"mine": rows})) == ["mine"]
    assert section.figures({"mine": [Answered({"method": "dm"}, [None])]}) == {}
