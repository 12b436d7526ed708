"""How is each method evaluated? The section that shows the settings of ``settings.py`` side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stillproof.core.components import recipes
from stillproof.core.reference import parse_reference
from stillproof.report.answers import Answered
from stillproof.report.rows import Rows, grouped
from stillproof.report.section import Section
from stillproof.report.tables.columns import DATASET, METHOD, PROTOCOL, RULES_OF_OWN_RECIPES, SCALE
from stillproof.report.tables.table import Column, Marked, Number, Table, Value
from stillproof.suites.dd_ranking.trials import Trials
from stillproof.suites.requests import Row

TITLE = "How the methods are evaluated"
OF_RECIPE = ("epochs", "batch", "optimiser", "lr", "weight_decay", "schedule", "augment", "objective")
SETTINGS = (
    Column("network", "network"),
    Column("epochs", "epochs", int),
    Column("batch", "batch", int),
    Column("optimiser", "optimiser"),
    Column("lr", "lr", Number),
    Column("weight_decay", "weight decay", Number),
    Column("schedule", "schedule"),
    Column("augment", "augmentation"),
    Column("objective", "objective"),
    Column("label_kind", "labels"),
    Column("teacher", "teacher"),
)
# A recipe is all of these under one name, so that it is not compared again.
RECIPES = (RULES_OF_OWN_RECIPES[0], Column("hard_recipe", "recipe with hard labels", fold="always"))
HARD = Column("with_hard_labels", "with hard labels")
COLUMNS = (DATASET, METHOD, Column("ipc", "ipc", int, "same"), *SETTINGS, HARD, *RECIPES, PROTOCOL, SCALE)
Shown = str | int | Number | None


class NoneMostCommon:
    """Stands where no value is more common than all others; no value is equal to it."""


NOTE = (
    "*: not what most methods have; where no value is the most common one, all are marked, so that a column without a "
    "star is the same for all. with hard labels: what the method is then trained with instead."
)


def setting_rows(trials: Trials) -> Iterator[Row]:
    """Yield one row per method that says how its sets are trained on, and asks for nothing."""
    dataset = trials.builder.dataset
    for method, ipc, setting in trials.asked():
        name, given = parse_reference(setting.recipe)
        made = recipes.build(setting.recipe)
        here = {key: value for key, value in recipes.get(name).by_dataset.get(dataset, {}).items() if key not in given}
        shown = {key: here.get(key, getattr(made, key)) for key in OF_RECIPE}
        about = {"network": trials.network_of(setting), "recipe": setting.recipe, "hard_recipe": setting.hard_recipe}
        about |= {"label_kind": setting.labels, "teacher": "its own" if setting.labels == "taught" else ""}
        yield trials.builder.row("settings", method, ipc, [], **about, **shown)


def settings_tables(rows: Rows) -> list[Table]:
    """Return one line per method; it is compared with those of the same data set and number of images."""
    lines = [line for group in grouped(rows["settings"], "dataset", "ipc").values() for line in _lines(group)]
    return [Table("settings", TITLE, COLUMNS, lines, [NOTE])]


def _lines(group: Sequence[Answered]) -> list[dict[str, Value]]:
    usual = {column.key: _most_common([_value(row[column.key]) for row in group]) for column in SETTINGS}
    return [
        {column.key: _cell(row, column.key, usual) for column in COLUMNS} | {HARD.key: _instead(row)} for row in group
    ]


def _cell(row: Answered, key: str, usual: Mapping[str, Shown | NoneMostCommon]) -> Value:
    value = _value(row[key])
    return value if usual.get(key, value) == value else Marked(value)


def _instead(row: Answered) -> str:
    """Return the parameters of the recipe with hard labels that differ from those of the recipe."""
    (name, own), (hard_name, hard) = (parse_reference(row[key] or "") for key in ("recipe", "hard_recipe"))
    if name != hard_name:
        return str(row["hard_recipe"] or "")
    changed = {key: value for key, value in hard.items() if own.get(key) != value}
    return ", ".join(f"{key}={value}" for key, value in changed.items()) or "the same"


def _most_common(values: Sequence[Shown]) -> Shown | NoneMostCommon:
    first, *others = Counter(values).most_common(2)
    return NoneMostCommon() if others and others[0][1] == first[1] else first[0]


def _value(value: Any) -> Shown:
    """Return a setting as a value of a table; an empty one is none."""
    if isinstance(value, float):
        return Number(value, "g")
    return None if value == "" else value if isinstance(value, str | int | None) else str(value)


SECTION = Section(
    "settings",
    setting_rows,
    settings_tables,
    title=TITLE,
    question="How is each method evaluated?",
    reading="A star marks a value that differs from most methods; a column without one is the same for all.",
)
