"""Scores of a pool under attack as a table: one line per model and attack, and the scores below."""

from __future__ import annotations

from stillproof.core.spec import Json
from stillproof.report.attack_table import INTERVAL, percent, share
from stillproof.report.tables.table import Column, Number, Percent, Share, Table, Value
from stillproof.report.tables.text import text_of

COLUMNS = (
    Column("model", "model"),
    Column("attack", "attack"),
    Column("clean", "clean %", Percent),
    Column("robust", "robust %", Share),
    Column("passes", "passes to success", Number),
)
SCORES = (
    "RR of accuracies, AE of passes to the first success, CREI half of each; from 0 to 100, of all models together. "
    "Changes of attacks without a ball count under fair if they are no larger than 128/255 in L2."
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
    scores = ", ".join(f"{key.upper()} {text_of(percent(found[key]))}" for key in ("rr", "ae", "crei"))
    notes = [f"Models: {found['models']}. {scores}. {SCORES}", *(f"Missing: {why}" for why in found["reasons"])]
    reasons = {row["attack"]: row["reason"] for row in found["attacks"] if row["reason"]}
    notes += [f"Left out, {attack}: {reason}" for attack, reason in reasons.items()]
    if found["without_success"]:
        notes.append(f"Left out of AE: {found['without_success']} attacks that turned no image of a model.")
    notes += [f"Protocol {found['protocol']}, {aim}. {about}", INTERVAL]
    if found["checked"]:
        notes += [f"Alarm: {alarm}" for alarm in found["alarms"]] or ["No alarm."]
    else:
        notes.append("Not checked for signs of gradient masking: --check looks for them.")
    title = f"Pool {found['pool']} under attack, {found['n']} test images of {found['dataset']}"
    return Table("pool-score", title, COLUMNS, lines, notes)
