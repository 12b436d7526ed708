"""Scores of a pool under attack as a table: one line per model and attack, and the scores below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stillproof.core.number_text import size_text
from stillproof.core.spec import Json
from stillproof.report.attack_table import INTERVAL, percent, share
from stillproof.report.tables.metric_columns import metric_titles
from stillproof.report.tables.table import Column, Number, Percent, Share, Table, Value
from stillproof.report.tables.text import text_of
from stillproof.score.metric import UnderAttack

COLUMNS = (
    Column("model", "model"),
    Column("attack", "attack"),
    Column("clean", "clean %", Percent),
    Column("robust", "robust %", Share),
    Column("passes", "passes to success", Number),
)
SCORES = (
    "RR of accuracies, AE of passes to the first success, CREI half of each; from 0 to 100, of all models together."
)


def pool_table(found: Json, about: str) -> Table:
    """Return the table of what ``pool score --json`` prints; ``about`` says in a sentence what its protocol does."""
    lines: list[dict[str, Value]] = [
        {
            "model": row["model"],
            "attack": row["attack"],
            "clean": percent(row["clean_accuracy"]),
            "robust": share(row["robust_accuracy"], row["robust_ci95"]),
            "passes": None if row["passes_to_success"] is None else Number(row["passes_to_success"], ".1f"),
        }
        for row in found["attacks"]
    ]
    aim = "untargeted" if found["targets"] is None else f"targeted ({found['targets']})"
    scores = {key.upper(): found[key] for key in ("rr", "ae", "crei")}
    added = {title: found.get(key) for key, title in metric_titles(UnderAttack).items()}
    scores |= {title: value for title, value in added.items() if value is not None}
    told = ", ".join(f"{name} {text_of(percent(value))}" for name, value in scores.items())
    notes = [f"Models: {found['models']}. {told}. {SCORES}", *_balls(found["attacks"])]
    notes += [f"Missing: {why}" for why in found["reasons"]]
    reasons = {row["attack"]: row["reason"] for row in found["attacks"] if row["reason"]}
    notes += [f"Left out, {attack}: {reason}" for attack, reason in reasons.items()]
    if found["without_success"]:
        notes.append(f"Left out of AE: {found['without_success']} attacks that fooled no image of a model.")
    notes += [f"Protocol {found['protocol']}, {aim}. {about}", INTERVAL]
    if found["checked"]:
        notes += [f"Alarm: {alarm}" for alarm in found["alarms"]] or ["No alarm."]
    else:
        notes.append("Not checked for gradient masking: --check does that.")
    title = f"Pool {found['pool']} under attack, {found['n']} test images of {found['dataset']}"
    return Table("pool-score", title, COLUMNS, lines, notes)


def _balls(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which changes count of attacks that no radius limits."""
    said: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["reason"] is None and row["eps"] is None:
            ball = row["within"]
            which = (
                f"if they are no larger than {size_text(ball['eps'])} in {ball['norm']}"
                if ball
                else "whatever their size"
            )
            said.setdefault(which, {})[row["attack"]] = None
    return [f"Changes of {', '.join(attacks)} count {which}." for which, attacks in said.items()]
