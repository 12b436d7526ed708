"""What lines, notes and captions of all tables and figures of mad say."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from stillproof.report.answers import Answered
from stillproof.report.captions import Basis
from stillproof.report.figures.by_group import basis_of
from stillproof.report.measure import Measure
from stillproof.report.rows import grouped, missing_notes
from stillproof.report.tables.columns import MISSING, PROTOCOL, RECIPE, SCALE
from stillproof.report.tables.table import Column, OutOf, Value
from stillproof.suites.mad.defence_scores import Scored
from stillproof.suites.mad.protocol import mad_asks

AFTER = (
    MISSING,
    Column("n_queries", "attacked images", int, fold="same"),
    Column("n_clean", "clean images", int, fold="same"),
)
RULES = (dataclasses.replace(RECIPE, fold="always"), PROTOCOL, SCALE)
ROBUST = Measure("accuracy under attack", "%", 0.0, 1.0)
ORACLE = "ORACLE: learned from what is reported"


def about(one: Scored) -> dict[str, Value]:
    """Return what a line says of its network."""
    row = one.row
    known = [answer for under in one.rows() for answer in under.results if answer is not None]
    return {
        **{key: row[key] for key in ("dataset", "network", "method", "ipc", "defence", "protocol", "scale", "recipe")},
        "start": row["start"] or None,
        "missing": sum(under.missing for under in one.rows()),
        "n_queries": known[0]["n"] if known else None,
        "n_clean": known[0]["n_clean"] if known else None,
    }


def over_itself(one: Scored) -> dict[str, Value]:
    """Return EDSR against the network before its shots, over those unknown attacks of which it has one."""
    unknown = one.attacks("unknown")
    own = one.defined(unknown, "before")
    return {"over_itself": one.edsr(own, "before"), "of_itself": OutOf(len(own), len(unknown))}


def notes_of(rows: Sequence[Answered]) -> list[str]:
    """Say how was asked, whether the victim is known, what diverged, and what is missing."""
    said = [mad_asks(str(name)).sentence for name in dict.fromkeys(row["protocol"] for row in rows)]
    if any(row["made_on"] == "unknown" for row in rows):
        said.append(
            "The attacked sets were imported: what they were made on is not known, and 'none' is a network of this "
            "suite's own."
        )
    said += [
        f"The attacked sets were there before: 'none' is {victim}, which they were made on, whatever network and "
        "recipe say of other lines."
        for victim in dict.fromkeys(row["victim"] for row in rows)
        if victim
    ]
    return [*said, *_diverged_notes(rows), *missing_notes(rows)]


def _diverged_notes(rows: Sequence[Answered]) -> list[str]:
    """Say of how many episodes a step was not finite."""
    found = []
    adapting = [row for row in rows if row["measure"] == "adapt"]
    for (defence, variant), group in grouped(adapting, "defence", "variant").items():
        answers = [answer for row in group for answer in row.results if answer is not None]
        diverged, episodes = (sum(answer[key] for answer in answers) for key in ("diverged", "episodes"))
        if diverged:
            who = f"{defence} ({variant})" if variant else defence
            found.append(
                f"DIVERGED: in {diverged} of {episodes} episodes of {who} a step was not finite; what was there before "
                "it counts."
            )
    return found


def defined_notes(every: Sequence[Scored], shared: Mapping[str, Sequence[str]]) -> list[str]:
    """Say over how many attacks means of EDSR are, where that is not all."""
    told = []
    for name, left in shared.items():
        asked = every[0].attacks(name)
        if len(left) < len(asked):
            told.append(f"{name}: over {len(left)} of {len(asked)} attacks, those of which all lines have an EDSR")
    return [f"{'; '.join(told)}."] if told else []


def mad_basis(rows: Sequence[Answered]) -> Basis:
    """Return what holds for the numbers of a figure: under the original's protocol, that they are an oracle's."""
    basis = basis_of(rows, "dataset", "network")
    oracle = any(mad_asks(str(row["protocol"])).is_oracle for row in rows)
    return dataclasses.replace(basis, about=f"{basis.about}; {ORACLE}") if oracle else basis
