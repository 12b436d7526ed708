"""Can the gradients be trusted? Signs of gradient masking, model by model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.report.rows import Rows, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.suites.beard.robust_numbers import ALARM_NOTE, ALARMS, DEFENCE, about, rung
from stillproof.suites.beard.victims import Victim, Victims
from stillproof.suites.requests import Request, Row

COLUMNS = (*BEFORE, DEFENCE, ALARMS, Column("what", "what rang", absent=""), MISSING, *RULES_OF_OWN_RECIPES)


def alarm_rows(victims: Victims) -> Iterator[Row]:
    """Yield one row per model, with and without a defence."""
    for victim in victims.all():
        yield victims.row("alarms", victim, partial(_checked, victims, victim))


def _checked(victims: Victims, victim: Victim, seed: int) -> Request:
    suite = victims.suite
    return Request(
        "attack-check",
        model=victims.model(victim, seed),
        dataset=victims.builder.dataset,
        eps=victims.reaches["Linf"],
        limit=suite.limit or None,
        seed=seed,
    )


def alarm_tables(rows: Rows) -> list[Table]:
    """Return one line per kind of model."""
    found = rows["alarms"]
    lines: list[dict[str, Value]] = []
    for row in found:
        said = [alarm for answer in row.results if answer is not None for alarm in answer["alarms"]]
        lines.append(about(row) | {"alarms": rung([row]), "what": "; ".join(dict.fromkeys(said))})
    notes = [ALARM_NOTE, *missing_notes(found)]
    return [Table("alarms", "Can gradients be trusted?", COLUMNS, lines, notes)]


SECTION = Section(
    "alarms",
    alarm_rows,
    alarm_tables,
    title="Signs of gradient masking",
    question="Can the gradients be trusted?",
    reading="Where an alarm rang, its accuracy under attack may be too good to be true.",
)
