"""Claimed numbers beside those that were computed again, as one table whatever suites they are of."""

from __future__ import annotations

from typing import Any

from stillproof.report.claims import Claim
from stillproof.report.verification import ASKED, Checked, Verification
from stillproof.score.stats import summarise

CURVE = {"section": "beard/curves", "method": "dm", "ipc": 1, "recipe": "quick", "norm": "L2", "timed": False}
LABELS = {"section": "dd-ranking/labels", "method": "dm", "ipc": 1, "recipe": "real", "augmented": True, "timed": False}


def checked(*rows: dict[str, Any]) -> Verification:
    found = summarise([0.5, 0.6])
    return Verification(
        "it", [Checked(row, Claim("accuracy", found, (0.4, 0.7), "seeds", [0.5]), found) for row in rows]
    )


def test_what_tells_rows_apart_stands_in_one_text_and_what_they_share_in_none() -> None:
    table = checked(CURVE, LABELS).table()
    assert [row[ASKED] for row in table.rows] == ["beard/curves, L2, quick", "dd-ranking/labels, augmented, real"]
    assert {"section", "recipe", "norm"}.isdisjoint(column.key for column in table.columns)
    assert "timed" in {column.key for column in table.columns}, "all rows say the same, so that it folds"


def test_rows_that_are_told_apart_by_usual_columns_need_no_text() -> None:
    table = checked(CURVE, CURVE | {"method": "dc"}).table()
    assert ASKED not in {column.key for column in table.columns} and table.rows[0]["norm"] == "L2"
