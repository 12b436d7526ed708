"""Training on the sets with SGD against training with Adam."""

from __future__ import annotations

from stillproof.report.answers import Answered
from stillproof.report.rows import Rows, grouped, missing_notes
from stillproof.report.tables.columns import BEFORE, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Table, Value
from stillproof.report.tables.versus import Versus

VERSUS = Versus("adam", "sgd")
COLUMNS = (*BEFORE, *VERSUS.columns(), *RULES_OF_OWN_RECIPES)


def optimiser_tables(rows: Rows) -> list[Table]:
    """Return one line per method and number of images."""
    found = rows["optimiser"]
    lines = [_line(group) for group in grouped(found, "dataset", "network", "method", "ipc").values()]
    notes = ["adam over sgd: seed by seed.", *missing_notes(found)]
    return [Table("optimiser", "Training with SGD and with Adam", COLUMNS, lines, notes)]


def _line(group: list[Answered]) -> dict[str, Value]:
    ways = {str(row["optimiser"]): row for row in group}
    recipes = {name: str(row["recipe"]) for name, row in ways.items()}
    return VERSUS.line(group, ways.get("adam"), ways.get("sgd")) | {
        "recipe": ", ".join(f"{name}: {recipe}" for name, recipe in recipes.items())
    }
