from __future__ import annotations

from typing import Any

from stillproof.report.by_class import ClassReport, class_report
from stillproof.report.tables.formats import to_csv, to_json
from stillproof.report.tables.text import shown
from stillproof.store.records import Run


def report(classes: int, images: int | None = None) -> ClassReport:
    """Two methods with two seeds each, one of which has no answer."""
    about = {"dataset": "toy", "ipc": 1, "network": "mlp", "recipe": "smoke", "protocol": "fair", "selection": "last"}
    rows: list[dict[str, Any]] = [{"method": name, **about, "cells": [name + "0", name + "1"]} for name in ("a", "b")]
    counts = [images or label + 1 for label in range(classes)]
    answer = {"classes": [f"c{label}" for label in range(classes)], "images": counts}
    answers = {
        "a0": {**answer, "right": counts},
        "a1": {**answer, "right": [0] * classes},
        "b0": {**answer, "right": [0] * classes},
    }
    return class_report(Run(1, "accuracy", 0.0, {}, rows, "", 0.0, None, None, "run"), rows, answers)


def test_methods_are_rows_and_few_classes_are_columns() -> None:
    (table,) = report(3).tables()
    text = shown(table)
    assert text.header == ["method", "ipc", "c0", "c1", "c2", "n"]
    assert text.rows == [["a", "1", "50.0", "50.0", "50.0", "2"], ["b", "1", "0.0", "0.0", "0.0", "1"]]
    assert text.notes == [
        "toy; mlp; recipe smoke; protocol fair; last epoch.",
        "Means over n = 1 to 2 seeds.",
        "Test images: 1 of c0, 2 of c1, 3 of c2.",
        "Missing: 1 result.",
    ]
    assert to_json(table)["rows"][0]["class_0"]["n"] == 2
    assert "class_0_mean,class_0_std,class_0_n,class_0_ci95_low" in to_csv(table)


def test_many_classes_are_rows() -> None:
    (table,) = report(21, images=5).tables()
    text = shown(table)
    assert text.header == ["class", "images", "a", "b", "n"]
    assert text.rows[20] == ["c20", "5", "50.0", "0.0", "1 to 2"]
    assert "Test images: 5 of each class." in text.notes


def test_every_data_set_has_a_table_of_its_own() -> None:
    rows: list[dict[str, Any]] = [{"method": "a", "dataset": name, "cells": [name]} for name in ("x", "y", "none")]
    answers = {name: {"classes": [name], "images": [2], "right": [1]} for name in ("x", "y")}
    found = class_report(Run(1, "accuracy", 0.0, {}, rows, "", 0.0, None, None, "run"), rows, answers)
    assert [shown(table).header for table in found.tables()] == [["method", "x"], ["method", "y"]]
    assert [row["missing"] for row in found.as_dict()["rows"]] == [0, 0], "what has no answer yet is left out"
