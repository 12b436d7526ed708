"""A recipe as it is on a data set."""

from __future__ import annotations

from stillproof.core.components import recipes
from stillproof.core.reference import parse_reference
from stillproof.train.recipe import Recipe


def recipe_for(reference: str, dataset: str) -> Recipe:
    """Return the recipe that ``reference`` names, with what it has of its own for the data set of that name."""
    name, given = parse_reference(reference)
    own = recipes.get(name).by_dataset.get(dataset, {})
    recipe: Recipe = recipes.build(name, {**own, **given})
    return recipe
