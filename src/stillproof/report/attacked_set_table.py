"""An attacked data set as a table: one line per attack, and what must be said below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stillproof.core.mad_attacks import mad_attack, number_of
from stillproof.core.mad_sets import ROLES, MadSet
from stillproof.report.attack_table import percent, share
from stillproof.report.tables.table import Bytes, Column, Number, Percent, Seconds, Share, Table, Value

COLUMNS = (
    Column("attack", "attack"),
    Column("title", "what it is", fold="empty", absent=""),
    Column("role", "for", fold="empty", absent="-"),
    Column("right", "right before", int, absent="-"),
    Column("success", "success %", Share),
    Column("rounded", "rounded %", Percent),
    Column("truncated", "cut off %", Percent),
    Column("size", "median change L2", Number, absent=""),
    Column("passes", "passes per image", Number, absent=""),
    Column("seconds", "time", Seconds, absent=""),
    Column("bytes", "size", Bytes, absent=""),
)
NOTES = (
    "success: of the images that the model has right before the attack, the share that it has wrong after it, with "
    "Wilson's 95 % interval; then what is left of it once images are rounded, or cut off, to bytes.",
)


def attacked_set_table(rows: Sequence[Mapping[str, Any]], title: str, about: Sequence[str], like: MadSet) -> Table:
    """Return the table.

    Args:
        rows: What came of each attack, as ``attack-set show --json`` has it.
        title: What the set is called.
        about: What must be known of the images, in sentences.
        like: MAD's set of such images, which says what each attack is for there.
    """
    notes = [*about, *NOTES]
    notes += [f"{row['attack']}: {row['reason']}" for row in rows if row["reason"]]
    warned: dict[str, list[str]] = {}
    for row in rows:
        for said in row["warnings"]:
            warned.setdefault(said, []).append(row["attack"])
    notes += [f"Warning about {', '.join(attacks)}: {said}" for said, attacks in warned.items()]
    numbers = {row["number"] for row in rows} & like.left_out.keys()
    notes += [
        f"{like.name.upper()} leaves out {_listed(sorted(numbers_of), 'attack')}: {reason}."
        for reason, numbers_of in _by_reason(like, numbers).items()
    ]
    return Table("attack-set", title, COLUMNS, [_line(row) for row in rows], notes)


def role_of(called: str, like: MadSet) -> str | None:
    """Return what one of MAD's attacks is for in a set, if it is one."""
    number = number_of(called)
    if number is None:
        return None
    role = like.role_of(number)
    return "left out" if role is None else {ROLES[0]: "known", ROLES[1]: "choosing", ROLES[2]: "unknown"}[role]


def title_of(called: str) -> str:
    """Return what one of MAD's attacks is; nothing of others."""
    return "" if number_of(called) is None else mad_attack(called).title


def _line(row: Mapping[str, Any]) -> dict[str, Value]:
    success, ci95 = row["success"] or {}, row["success_ci95"] or {}
    return {
        "attack": row["attack"],
        "title": row["title"] or None,
        "role": row["role"],
        "right": row["right"],
        "success": share(success.get("float"), ci95.get("float")),
        "rounded": percent(success.get("rounded")),
        "truncated": percent(success.get("truncated")),
        "size": None if row["median_l2"] is None else Number(row["median_l2"]),
        "passes": None if row["passes_per_image"] is None else Number(row["passes_per_image"], ".0f"),
        "seconds": None if row["seconds"] is None else Seconds(row["seconds"]),
        "bytes": None if row["bytes"] is None else Bytes(row["bytes"]),
    }


def _by_reason(like: MadSet, numbers: set[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number in numbers:
        found.setdefault(like.left_out[number], []).append(number)
    return found


def _listed(numbers: Sequence[int], what: str) -> str:
    said = ", ".join(map(str, numbers))
    return f"{what} {said}" if len(numbers) == 1 else f"{what}s {said}"
