"""One row per method that says how its sets are trained on, and asks for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from stillproof.core.components import recipes
from stillproof.core.reference import parse_reference
from stillproof.suites.dd_ranking.trials import Trials
from stillproof.suites.requests import Row

SHOWN = ("epochs", "batch", "optimiser", "lr", "weight_decay", "schedule", "augment", "objective")


def setting_rows(trials: Trials) -> Iterator[Row]:
    """Yield the settings."""
    dataset = trials.builder.dataset
    for method, ipc, setting in trials.asked():
        name, given = parse_reference(setting.recipe)
        made = recipes.build(setting.recipe)
        here = {key: value for key, value in recipes.get(name).by_dataset.get(dataset, {}).items() if key not in given}
        shown = {key: here.get(key, getattr(made, key)) for key in SHOWN}
        about = {"network": trials.network_of(setting), "recipe": setting.recipe, "hard_recipe": setting.hard_recipe}
        about |= {"label_kind": setting.labels, "teacher": "its own" if setting.labels == "taught" else ""}
        yield trials.builder.row("settings", method, ipc, [], **about, **shown)
