"""Signs of gradient masking: a table of their own, and a column wherever a robust number is shown."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.answers import Answered
from stillproof.report.beard.columns import BEFORE, DEFENCE, about, model_of
from stillproof.report.rows import Rows, missing_notes
from stillproof.report.tables.columns import MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Table, Value

ALARMS = Column("alarms", "alarms", fold="same")
COLUMNS = (*BEFORE, DEFENCE, ALARMS, Column("what", "what rang", absent=""), MISSING, *RULES_OF_OWN_RECIPES)
NOTE = (
    "Alarms: models with signs of gradient masking in the Linf ball that curves reach to, of all that were checked; "
    "what attacks leave of such a model may be too good to be true."
)
NOT_CHECKED = "not checked"


def alarm_tables(rows: Rows) -> list[Table]:
    """Return one line per kind of model."""
    lines: list[dict[str, Value]] = []
    for row in rows["alarms"]:
        what = dict.fromkeys(sentence for sentences in _sentences(row) for sentence in sentences)
        lines.append(about(row) | {"alarms": _told([row]), "what": "; ".join(what)})
    return [Table("alarms", "Can gradients be trusted?", COLUMNS, lines, [NOTE, *missing_notes(rows["alarms"])])]


def alarms_on(rows: Rows, models: Sequence[Answered]) -> str:
    """Say how many of the models that rows are about have rung."""
    asked = {model_of(row) for row in models}
    return _told([row for row in rows.get("alarms", ()) if model_of(row) in asked])


def _told(rows: Sequence[Answered]) -> str:
    checked = [sentences for row in rows for sentences in _sentences(row)]
    rung = sum(bool(sentences) for sentences in checked)
    return f"{rung} of {len(checked)}" if checked else NOT_CHECKED


def _sentences(row: Answered) -> list[list[str]]:
    return [list(answer["alarms"]) for answer in row.results if answer is not None]
