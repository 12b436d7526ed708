"""The contract of a recipe."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

from stillproof.core.components import recipes, references_of
from stillproof.core.spec import canonical_json
from stillproof.core.validate import validated
from stillproof.testing.check_training import toy_model
from stillproof.testing.checks import Result, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice
from stillproof.train.epochs import make_optimiser
from stillproof.train.recipe import Recipe, check_plain

MOST_EPOCHS = 2000  # looked at one by one


def check_recipe(name: str) -> list[Result]:
    """Run the contract."""
    return run_checks(
        "recipe",
        name,
        {
            "builds, and what it refers to": lambda: _builds(name),
            "comes back from JSON unchanged": lambda: _comes_back(name),
            "its step size is positive and finite in every epoch": lambda: _step_sizes(name),
            "its curve has as many points as it says": lambda: _curve(name),
            TITLE: lambda: try_every_choice(recipes, name, lambda choice: _steps(name, choice)),
        },
    )


def _build(name: str) -> Recipe:
    recipe = recipes.build(name)
    need(isinstance(recipe, Recipe), f"{type(recipe).__name__} is not a subclass of stillproof.train.recipe.Recipe")
    built: Recipe = recipe
    return built


def _epochs(recipe: Recipe) -> range:
    return range(min(recipe.epochs, MOST_EPOCHS))


def _builds(name: str) -> None:
    recipe = _build(name)
    check_plain(recipe, name)
    for registry, reference in references_of(recipe).values():
        registry.build(reference)


def _comes_back(name: str) -> None:
    recipe = _build(name)
    params = json.loads(canonical_json(recipes.spec(recipe).as_dict()["params"]))
    back = validated(Recipe, params, f"recipe {name!r}")  # as a set's card keeps it: only the parameters travel
    need(dataclasses.asdict(back) == dataclasses.asdict(recipe), f"{recipe} comes back from JSON as {back}")
    for epoch in _epochs(recipe):
        need(back.lr_at(epoch) == recipe.lr_at(epoch), f"its own step size of epoch {epoch} does not reach the loop")


def _step_sizes(name: str) -> None:
    recipe = _build(name)
    for epoch in _epochs(recipe):
        lr = recipe.lr_at(epoch)
        rises = recipe.schedule == "cyclic" and epoch == 0  # from nothing
        need(math.isfinite(lr) and (lr > 0 or rises), f"the step size of epoch {epoch} is {lr}")


def _steps(name: str, choice: Mapping[str, Any]) -> None:
    recipe = recipes.build(name, choice)
    make_optimiser(toy_model().body, recipe)
    for epoch in _epochs(recipe):
        recipe.lr_at(epoch)


def _curve(name: str) -> None:
    recipe = _build(name)
    measured = [epoch for epoch in range(recipe.epochs) if recipe.is_measured(epoch)]
    wanted = min(recipe.curve_points, recipe.epochs)
    need(len(measured) == wanted, f"its curve has {len(measured)} points, not {wanted}")
    need(measured[-1] == recipe.epochs - 1, "the last epoch is not on its curve")
