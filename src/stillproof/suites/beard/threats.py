"""What does the original's threat model do to its numbers? Pixels beside normalised images taken for pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from stillproof.core.seeds import Seeds
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.values import Bar, Bars
from stillproof.report.rows import Rows, complete, grouped, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.agreement import Agreement, Estimate
from stillproof.score.ranking import order_kept
from stillproof.score.stats import Summary
from stillproof.suites.beard.robust_numbers import (
    ALARM_NOTE,
    ALARMS,
    IMAGES,
    UNDER_ATTACK,
    about,
    alarms_on,
    attacked_basis,
)
from stillproof.suites.beard.victims import Victims
from stillproof.suites.requests import Row

TITLE = "Pixels, or normalised images taken for pixels?"
PIXELS, NORMALISED = "pixels", "normalised"
THREATS = {PIXELS: "fair", NORMALISED: "faithful:beard"}  # protocols of attacks
ATTACKS = ("none", "fgsm", "pgd")  # doing nothing shows what the original's threat model does by itself
LEFT = "robust_accuracy"
NOTES = (
    "pixels: the attack changes pixels of [0, 1], which the model normalises; what counts is right before and after. "
    "normalised: as the original does, normalised images are attacked as if they were pixels and cut to [0, 1] after "
    "each step, which alone may cost accuracy: see none, the attack that does nothing. What is right afterwards "
    "counts. The protocol that is named below is that of sets and trainings.",
)
ORDER_NOTE = (
    "Agreement of the order of methods, by what is left under an attack, between both threat models; in brackets: 95 % "
    "interval, bootstrap over the seeds of each method."
)


def threat_rows(victims: Victims) -> Iterator[Row]:
    """Yield, for each model without a defence, one row per threat model and attack."""
    for victim in victims.undefended():
        for threat, protocol in THREATS.items():
            for attack in ATTACKS:
                ask = partial(victims.attack, victim, attack, "untargeted", protocol=protocol)
                yield victims.row("threat-models", victim, ask, threat=threat, attack=attack)


def threat_tables(rows: Rows) -> list[Table]:
    """Return accuracies under both threat models, and how far the orders of methods agree."""
    found = rows["threat-models"]
    names = dict.fromkeys((row["threat"], row["attack"]) for row in found)
    columns = [Column(f"{threat}_{attack}", f"{threat}, {attack} %", Summary) for threat, attack in names]
    lines: list[dict[str, Value]] = []
    for group in grouped(found, "dataset", "network", "method", "ipc").values():
        numbers: dict[str, Value] = {f"{row['threat']}_{row['attack']}": row.summary(LEFT) for row in group}
        missing = sum(row.missing for row in group)
        lines.append(about(group[0]) | numbers | {"missing": missing, "alarms": alarms_on(rows, group)})
    after = (ALARMS, IMAGES, MISSING, *RULES_OF_OWN_RECIPES)
    notes = [*NOTES, ALARM_NOTE, *missing_notes(found)]
    return [Table("threat-models", TITLE, (*BEFORE, *columns, *after), lines, notes), _order_table(found)]


def _order_table(rows: Sequence[Answered]) -> Table:
    lines: list[dict[str, Value]] = []
    notes = [ORDER_NOTE]
    for group in _blocks(rows):
        first, found = group[0], _agreement(group)
        # A line of no method stays, whichever methods are shown.
        line = {key: value for key, value in about(first).items() if key not in ("method", "missing", "recipe")}
        told: dict[str, Value] = {"attack": first["attack"], "methods": found.n}
        lines.append(line | told | {"kendall": found.kendall, "spearman": found.spearman})
        reason = found.kendall.reason
        notes += [f"{first['attack']}, {images(first['ipc'])}: {reason}."] * bool(reason)
    columns = (
        *(column for column in BEFORE if column.key != "method"),
        Column("attack", "attack"),
        *(Column("kendall", "Kendall", Estimate), Column("spearman", "Spearman", Estimate)),
        *(Column("methods", "methods", int), IMAGES),
        *RULES_OF_OWN_RECIPES[1:],
    )
    return Table("threat-models-order", "Does the order of methods survive?", columns, lines, notes)


def _blocks(rows: Sequence[Answered]) -> Iterator[list[Answered]]:
    """Yield rows of all methods of one size under one attack."""
    sized = [row for row in rows if row["ipc"] and row["attack"] != "none"]
    yield from grouped(sized, "dataset", "network", "ipc", "attack").values()


def _agreement(group: Sequence[Answered]) -> Agreement:
    methods = {method: {row["threat"]: row for row in same} for (method,), same in grouped(group, "method").items()}
    row = group[0]
    drawn = Seeds(0).child("threat-models", str(row["dataset"]), str(row["attack"]))
    return order_kept({method: _both(found) for method, found in methods.items()}, drawn)


def _both(found: Mapping[str, Answered]) -> list[tuple[float, ...]]:
    if not {PIXELS, NORMALISED} <= set(found):
        return []
    return complete(found[PIXELS].values(LEFT), found[NORMALISED].values(LEFT))


def threat_figures(rows: Rows) -> dict[str, Bars]:
    """Return one figure per data set, network and size."""
    groups = grouped((row for row in rows["threat-models"] if row["ipc"]), "dataset", "network", "ipc")
    return figures_of(
        "threat-models", groups, lambda found: any(row.summary(LEFT) for row in found), partial(_figure, rows)
    )


def _figure(every: Rows, rows: Sequence[Answered]) -> Bars:
    """Return one panel per attack, and two bars per method."""
    bars = [Bar(str(row["method"]), str(row["threat"]), row.summary(LEFT), panel=str(row["attack"])) for row in rows]
    return Bars(TITLE, bars, attacked_basis(rows, every), "method", measure=UNDER_ATTACK)


SECTION = Section(
    "threat-models",
    threat_rows,
    threat_tables,
    threat_figures,
    title="Two threat models",
    question="What does the original's threat model do to its numbers?",
    reading="Where both threat models leave different accuracies, or the orders of methods agree little, numbers of "
    "the original's say little about changes of pixels.",
)
