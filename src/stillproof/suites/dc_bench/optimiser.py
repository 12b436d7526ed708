"""Training on the sets with SGD against training with Adam."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.core.reference import changed_reference
from stillproof.report.answers import Answered
from stillproof.report.rows import Rows, grouped, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Table, Value
from stillproof.report.tables.versus import Versus
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

ADAM = {"optimiser": "adam", "lr": 0.003, "weight_decay": 0.0, "decay": 1.0}  # constant, as the original has it
TITLE = "Training with SGD and with Adam"
VERSUS = Versus("adam", "sgd")
COLUMNS = (*BEFORE, *VERSUS.columns(), *RULES_OF_OWN_RECIPES)


def optimiser_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method and optimiser."""
    recipe = suite.recipe_with("dsa", builder.dataset)
    for method, ipc in builder.asked(suite.methods, suite.ipc):
        for optimiser, chosen in (("sgd", recipe), ("adam", changed_reference(recipe, **ADAM))):
            yield builder.accuracy("optimiser", method, ipc, chosen, optimiser=optimiser)


def optimiser_tables(rows: Rows) -> list[Table]:
    """Return one line per method and number of images."""
    found = rows["optimiser"]
    lines = [_line(group) for group in grouped(found, "dataset", "network", "method", "ipc").values()]
    notes = ["adam over sgd: seed by seed.", *missing_notes(found)]
    return [Table("optimiser", TITLE, COLUMNS, lines, notes)]


def _line(group: list[Answered]) -> dict[str, Value]:
    ways = {str(row["optimiser"]): row for row in group}
    recipes = {name: str(row["recipe"]) for name, row in ways.items()}
    return VERSUS.line(group, ways.get("adam"), ways.get("sgd")) | {
        "recipe": ", ".join(f"{name}: {recipe}" for name, recipe in recipes.items())
    }


SECTION = Section(
    "optimiser",
    optimiser_rows,
    optimiser_tables,
    title=TITLE,
    question="Is SGD or Adam better on a set?",
    reading="A difference above zero favours Adam; if its interval contains zero, these seeds cannot tell.",
)
