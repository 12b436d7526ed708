"""Accuracy under attack as a table: one line per attack, and what must be said below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stillproof.report.tables.table import Column, Number, Percent, Radius, Seconds, Share, Table, Value

COLUMNS = (
    Column("attack", "attack"),
    Column("eps", "eps", Radius, absent="none"),
    Column("norm", "norm", fold="empty", absent=""),
    Column("clean", "clean %", Percent),
    Column("robust", "robust %", Share),
    Column("size", "median change", Number, fold="empty", absent=""),
    Column("passes", "passes per image", Number, absent=""),
    Column("seconds", "time", Seconds, absent=""),
)
INTERVAL = "In brackets: Wilson's 95 % interval over test images."
SIZES = "median change: of the images that the attack fooled, in its norm."


def attack_table(rows: Sequence[Mapping[str, Any]], of: str, about: str, alarms: Sequence[str] | None) -> Table:
    """Return the table.

    Args:
        rows: What came of each attack, as ``attack --json`` has it, under the name that is shown.
        of: Whose images they are.
        about: What must be known of the protocol, in a sentence.
        alarms: What is suspicious about the gradients; None if nobody looked.
    """
    first = rows[0]
    aim = f"targeted ({first['targets']})" if first["targeted"] else "untargeted"
    lines = [_line(row) for row in rows]
    notes = [f"Protocol {first['protocol']}, {aim}. {about}"]
    notes += [INTERVAL] if any(line["robust"] for line in lines) else []
    notes += [SIZES] if any(line["size"] for line in lines) else []
    notes += [f"{row['attack']}: {row['reason']}" for row in rows if row["reason"]]
    notes += [f"Warning about {row['attack']}: {said}" for row in rows for said in row["warnings"]]
    if alarms is not None:
        notes += [f"Alarm: {alarm}" for alarm in alarms] or ["No alarm: nothing suspicious about the gradients."]
    return Table("attack", f"Accuracy under attack, {of}", COLUMNS, lines, notes)


def _line(row: Mapping[str, Any]) -> dict[str, Value]:
    size = None if row["norm"] is None else row[f"median_{row['norm'].lower()}"]
    passes, seconds = row["passes_per_image"], row["seconds"]
    return {
        "attack": row["attack"],
        "eps": None if row["eps"] is None else Radius(row["eps"]),
        "norm": row["norm"],
        "clean": percent(row["clean_accuracy"]),
        "robust": share(row["robust_accuracy"], row["robust_ci95"]),
        "size": None if size is None else Number(size),
        "passes": None if passes is None else Number(passes, ".1f"),
        "seconds": None if seconds is None else Seconds(seconds),
    }


def percent(fraction: float | None) -> Percent | None:
    """Return a share of images, if there is one."""
    return None if fraction is None else Percent(fraction, 2)


def share(fraction: float | None, ci95: Sequence[float] | None) -> Share | None:
    """Return a share of images with its interval, if there is one."""
    if fraction is None or ci95 is None:
        return None
    low, high = ci95
    return Share(fraction, (low, high))
