"""What each attack does to the undefended network, and what is left of it once its images are bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from stillproof.core.mad_attacks import mad_attack, number_of
from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.attack_table import percent, share
from stillproof.report.rows import Rows, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import DATASET, MISSING, NETWORK, PROTOCOL, SCALE
from stillproof.report.tables.table import Bytes, Column, Number, Percent, Seconds, Share, Table, Value
from stillproof.suites.mad.arena import NONE, Arena, Defender
from stillproof.suites.requests import Row

THERE = "the attacked sets were there before: `stillproof attack-set show` tells what they do."
TITLE = "Attacks on the undefended network"
ROLES = {"train": "known", "validation": "choosing", "test": "unknown"}
ATTACK = Column("attack", "attack")
ROLE = Column("role", "for")
COLUMNS = (
    *(DATASET, NETWORK, ATTACK),
    Column("title", "what it is", fold="empty", absent=""),
    ROLE,
    Column("success", "success %", Share),
    Column("kept", "as bytes %", Percent),
    Column("size", "median change L2", Number),
    Column("passes", "passes per image", Number),
    Column("seconds", "time", Seconds),
    Column("bytes", "size", Bytes),
    *(MISSING, PROTOCOL, SCALE),
)
NOTE = (
    "success: of the images that the network has right, those that it has wrong after the attack, with Wilson's 95 % "
    "interval; as bytes: what is left of that once images are kept as bytes. Known attacks are learned from, choosing "
    "ones tell which epoch of Meta-AT is kept, and unknown ones are seen at test time alone."
)


def attack_rows(arena: Arena) -> Iterator[Row]:
    """Yield one row per attack; one that cannot be made here has a reason."""
    for attack in arena.attacks:
        row = arena.row(
            "attacks",
            Defender(NONE),
            partial(lambda seed, attack: arena.attacked(attack), attack=attack),
            attack=attack.called,
            role=attack.role,
        )
        reason = attack.reason or (THERE if attack.artifact else "")
        yield Row(row.keys, () if reason else row.requests[:1], reason=reason)  # one victim, so one set for all seeds


def attack_tables(rows: Rows) -> list[Table]:
    """Return one line per attack."""
    found = rows["attacks"]
    return [Table("attacks", TITLE, COLUMNS, [_line(row) for row in found], [NOTE, *missing_notes(found)])]


def title_of(called: str) -> str | None:
    """Return what one of MAD's attacks is."""
    return None if number_of(called) is None else mad_attack(called).title


def _line(row: Answered) -> dict[str, Value]:
    called = str(row["attack"])
    line: dict[str, Value] = {
        **{key: row[key] for key in ("dataset", "network", "protocol", "scale")},
        "attack": called,
        "title": title_of(called),
        "role": ROLES[row["role"]],
        "missing": row.missing,
    }
    known = [answer for answer in row.results if answer is not None]
    return line | _numbers(known[0], str(row["protocol"])) if known else line


def _numbers(answer: Json, protocol: str) -> dict[str, Value]:
    success, ci95 = answer["success"], answer["success_ci95"]
    kept = "rounded" if protocol == "fair" else "truncated"
    return {
        "success": share(success["float"], ci95["float"]),
        "kept": percent(success[kept]),
        "size": Number(answer["median_l2"]),
        "passes": Number(answer["passes_per_image"], ".0f"),
        "seconds": Seconds(answer["seconds"]),
        "bytes": Bytes(answer["bytes"]),
    }


def in_order(rows: Sequence[Answered]) -> list[str]:
    """Return the attacks of some rows, those that are known first."""
    found = {str(row["attack"]): str(row["role"]) for row in rows}
    return sorted(found, key=lambda name: list(ROLES).index(found[name]))


SECTION = Section(
    "attacks",
    attack_rows,
    attack_tables,
    title=TITLE,
    question="Which attacks fool an undefended network?",
    reading="An attack with little success cannot tell defences apart.",
)
