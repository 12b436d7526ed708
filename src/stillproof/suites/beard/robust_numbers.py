"""What stands beside robust numbers in all tables and figures of beard: columns, alarms, caveats on times."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from stillproof.core.attack_warnings import warning_notes
from stillproof.report.answers import DISTURBED, Answered
from stillproof.report.captions import Basis
from stillproof.report.figures.by_group import basis_of
from stillproof.report.measure import Measure
from stillproof.report.rows import Rows
from stillproof.report.tables import columns
from stillproof.report.tables.table import Column, Mean, OutOf, Value
from stillproof.report.tables.text import text_of
from stillproof.score.stats import Summary
from stillproof.suites.beard.method_scores import Assessed

DEFENCE = Column("defence", "defence", fold="same", absent="none")
SIZES = Column("sizes", "ipc")  # or all that are pooled
MODE = Column("mode", "attacks", fold="same")
IMAGES = Column("images", "test images", int, fold="same")
CLEAN = Column("clean", "clean %", Summary)
ALARMS = Column("alarms", "alarms", OutOf, fold="same")
ALARM_NOTE = (
    "Alarms: models with signs of gradient masking in the Linf ball that curves reach to, of all that were checked; "
    "its accuracy under attack may be too good to be true."
)
NOT_CHECKED = "not checked"
DISTURBED_NOTE = (
    f"DISTURBED: while some attacks were timed, other programs used more than {100 * DISTURBED:.0f} % of the machine: "
    "AE and CREI may be off, AE in passes is not."
)
NOT_TIMED = "Nothing was timed: CREI is made of passes to the first success."
UNDER_ATTACK = Measure("accuracy under attack", "%", 0.0, 1.0)


def about(row: Answered) -> dict[str, Value]:
    """Return what a row says of itself, and on how many test images models were attacked."""
    counts = {answer.get("n") for answer in row.results if answer is not None}
    images = counts.pop() if len(counts) == 1 else None
    return columns.about(row) | {"defence": row["defence"] or None, "mode": row["mode"], "images": images}


def without_interval(value: Summary | None) -> Mean | None:
    """Return a number that is shown without its interval."""
    return None if value is None else Mean(value)


def model_of(row: Answered) -> tuple[Any, ...]:
    """Return what tells the models of a row from others."""
    return tuple(row[key] for key in ("dataset", "network", "method", "ipc", "defence"))


def alarms_on(rows: Rows, models: Sequence[Answered]) -> OutOf:
    """Say how many of the models that rows are about have rung."""
    asked = {model_of(row) for row in models}
    return rung([row for row in rows.get("alarms", ()) if model_of(row) in asked])


def rung(checks: Sequence[Answered]) -> OutOf:
    """Say how many models have rung, of those that rows of section ``alarms`` have checked."""
    checked = [answer["alarms"] for row in checks for answer in row.results if answer is not None]
    return OutOf(sum(map(bool, checked)), len(checked), of_none=NOT_CHECKED)


def warned_notes(rows: Sequence[Answered]) -> list[str]:
    """Return what attacks have noted that should be known of their numbers; when they are timed, they note it again."""
    made = [row for row in rows if row["measure"] != "time"]
    told = [(row, answer) for row in made for answer in row.results if answer is not None]
    return warning_notes((str(row["attack"] or "an attack behind these"), answer) for row, answer in told)


def time_notes(found: Sequence[Assessed]) -> list[str]:
    """Say whether times were disturbed, or there are none, so that CREI is another."""
    untimed = found and not any(one.is_timed for one in found)
    return [*disturbed_notes(found), *([NOT_TIMED] if untimed else [])]


def disturbed_notes(found: Sequence[Assessed]) -> list[str]:
    """Say whether times were disturbed."""
    return [DISTURBED_NOTE] if any(row.is_disturbed for one in found for row in one.rows()) else []


def attacked_basis(rows: Sequence[Answered], every: Rows) -> Basis:
    """Return what holds for some rows: the number of test images, and the alarms on their models among all rows."""
    basis = basis_of(rows, "dataset", "network", "ipc")
    counts = {answer["n"] for row in rows for answer in row.results if answer is not None and "n" in answer}
    told = [f"{counts.pop()} test images"] if len(counts) == 1 else []
    alarms = alarms_on(every, rows)
    told.append(f"alarms on {text_of(alarms)} models" if alarms.total else f"{NOT_CHECKED} for alarms")
    return dataclasses.replace(basis, about="; ".join((basis.about, *told)))
