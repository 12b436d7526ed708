"""The accuracies of a run class by class: one row per method, one column per class; many classes are rows instead."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.core.spec import Json
from stillproof.report.tables.columns import DATASET, around, values
from stillproof.report.tables.formats import to_json
from stillproof.report.tables.table import Column, Mean, Table, Value
from stillproof.score.by_class import ClassScore, class_scores
from stillproof.store.records import Run

MOST_COLUMNS = 20  # classes
TITLE = "Accuracy by class, %"


@dataclass(frozen=True, slots=True)
class ClassRow:
    """What a row of a run is about, its classes, and how many of its seeds have no answer."""

    keys: Mapping[str, Any]
    classes: Sequence[ClassScore]
    missing: int

    def as_dict(self) -> Json:
        """Return the row as JSON values."""
        return {**self.keys, "by_class": [score.as_dict() for score in self.classes], "missing": self.missing}


@dataclass(frozen=True, slots=True)
class ClassReport:
    """A run with those of its rows that have an answer; ``notes`` stand below every table."""

    run: Run
    rows: Sequence[ClassRow]
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """Return one table per data set."""
        names = dict.fromkeys(row.keys.get("dataset") for row in self.rows)
        tables = [_table([row for row in self.rows if row.keys.get("dataset") == name]) for name in names]
        return [dataclasses.replace(table, notes=[*table.notes, *self.notes]) for table in tables]

    def as_dict(self) -> Json:
        """Return all rows and tables as JSON values."""
        rows, tables = [row.as_dict() for row in self.rows], [to_json(table) for table in self.tables()]
        return {"suite": self.run.suite, "config": self.run.config, "rows": rows, "tables": tables}


def class_report(run: Run, rows: Sequence[Json], answers: Mapping[str, Json], notes: Sequence[str] = ()) -> ClassReport:
    """Return the report of a run from the answers of stage ``by-class`` to its cells, by cell."""
    found = []
    for row in rows:
        known = [answers[cell] for cell in row["cells"] if cell in answers]
        keys = {key: value for key, value in row.items() if key != "cells"}
        if known:
            found.append(ClassRow(keys, class_scores(known), len(row["cells"]) - len(known)))
    return ClassReport(run, found, notes)


def _table(rows: Sequence[ClassRow]) -> Table:
    few = len(rows[0].classes) <= MOST_COLUMNS
    columns, lines = _methods_down(rows) if few else _classes_down(rows)
    counts = {score.images for score in rows[0].classes}
    each = f"{counts.pop()} of each class" if len(counts) == 1 else _counts(rows[0].classes) if few else "see below"
    missing = sum(row.missing for row in rows)
    notes = [f"Test images: {each}."] + ([f"Missing: {missing} result{'s' * (missing != 1)}."] if missing else [])
    return Table("by-class", TITLE, columns, lines, notes)


def _methods_down(rows: Sequence[ClassRow]) -> tuple[Sequence[Column], list[dict[str, Value]]]:
    classes = [Column(f"class_{label}", score.name, Mean) for label, score in enumerate(rows[0].classes)]
    return around(classes, [row.keys for row in rows]), [values(row.keys) | _means(row) for row in rows]


def _classes_down(rows: Sequence[ClassRow]) -> tuple[Sequence[Column], list[dict[str, Value]]]:
    said = dict.fromkeys(key for row in rows for key in row.keys)
    telling = [key for key in said if key == "method" or len({str(row.keys.get(key)) for row in rows}) > 1]
    titles = [", ".join(_word(row.keys.get(key)) for key in telling if key != "recipe") for row in rows]
    columns = [DATASET, Column("class", "class"), Column("images", "images", int)]
    columns += [Column(f"row_{place}", title, Mean) for place, title in enumerate(titles)]
    lines: list[dict[str, Value]] = []
    for label, score in enumerate(rows[0].classes):
        means = {f"row_{place}": _means(row).get(f"class_{label}") for place, row in enumerate(rows)}
        lines.append({"dataset": rows[0].keys.get("dataset"), "class": score.name, "images": score.images, **means})
    return columns, lines


def _means(row: ClassRow) -> dict[str, Value]:
    known = enumerate(score.accuracy for score in row.classes)
    return {f"class_{label}": Mean(accuracy) for label, accuracy in known if accuracy is not None}


def _counts(classes: Sequence[ClassScore]) -> str:
    return ", ".join(f"{score.images} of {score.name}" for score in classes)


def _word(value: Any) -> str:
    return "all" if value is None else str(value)
