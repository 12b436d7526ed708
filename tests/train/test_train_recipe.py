from __future__ import annotations

import dataclasses

import pytest

from stillproof.core.components import recipes
from stillproof.core.errors import BadInput
from stillproof.train.recipe import Recipe


def built(name: str) -> Recipe:
    recipe = recipes.build(name)
    assert isinstance(recipe, Recipe)
    return recipe


@pytest.mark.parametrize(("name", "passes", "drop"), [("dc-bench", 301, 152), ("dc-bench-dsa", 1001, 502)])
def test_dc_bench_counts_its_epochs_inclusively_and_drops_once(name: str, passes: int, drop: int) -> None:
    recipe = built(name)
    rates = [recipe.lr_at(epoch) for epoch in range(recipe.epochs)]
    assert rates == [0.01] * drop + [0.001] * (passes - drop)
    assert (recipe.batch, recipe.optimiser, recipe.momentum, recipe.weight_decay) == (256, "sgd", 0.9, 5e-4)
    assert recipe.reset_momentum, "the original makes a new optimiser at the drop"
    assert recipe.augment == ("dsa" if name.endswith("dsa") else "none")


def test_several_drops_multiply() -> None:
    recipe = Recipe(epochs=6, lr=1.0, decay_epochs=(2, 4), decay=0.5)
    assert [recipe.lr_at(epoch) for epoch in range(6)] == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]


def test_a_cosine_falls_from_the_first_step_size_towards_none() -> None:
    recipe = Recipe(epochs=4, lr=2.0, schedule="cosine", decay_epochs=(1,))
    expected = [2.0, 1 + 0.5**0.5, 1.0, 1 - 0.5**0.5]
    assert [recipe.lr_at(epoch) for epoch in range(4)] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("epochs", "points", "measured"),
    [(301, 3, [101, 201, 301]), (4, 1, [4]), (4, 2, [2, 4]), (3, 3, [1, 2, 3]), (2, 5, [1, 2])],
)
def test_the_points_of_the_curve_are_even_and_one_is_at_the_end(epochs: int, points: int, measured: list[int]) -> None:
    recipe = Recipe(epochs=epochs, curve_points=points)
    assert [epoch + 1 for epoch in range(epochs) if recipe.is_measured(epoch)] == measured


@pytest.mark.parametrize("name", ["dc-bench", "dc-bench-dsa", "real", "fkd", "quick", "quick-real", "smoke"])
def test_a_named_recipe_comes_back_from_its_spec(name: str) -> None:
    recipe = built(name)
    params = recipes.spec(recipe).as_dict()["params"]
    again = Recipe.from_json(params)
    assert dataclasses.asdict(again) == dataclasses.asdict(recipe)
    assert all(0 < after < recipe.epochs for after in recipe.decay_epochs)


@pytest.mark.parametrize(
    "setting", ["epochs=0", "batch=0", "lr=0", "lr=-1", "lr=nan", "curve_points=0", "loss=hinge", "temperature=0"]
)
def test_what_cannot_be_trained_is_refused(setting: str) -> None:
    with pytest.raises(BadInput, match="recipe 'smoke'"):
        recipes.build(f"smoke:{setting}")
