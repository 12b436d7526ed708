"""How the author of a distilled set trains on it, in the words that ``--recipe`` takes."""

from __future__ import annotations

from stillproof.core.components import recipes
from stillproof.core.reference import write_reference
from stillproof.core.spec import ComponentSpec

DEFAULT_RECIPE = "dc-bench"
# Learned labels are values of a regression, no probabilities. The original trains on them by squared error, at the
# largest step size that is stable; squared errors are small, so that the usual one would hardly move a network.
LEARNED_LABELS = "dc-bench:objective=mse:lr=0.1"


def recipe_reference(own: ComponentSpec | None) -> str:
    """Return a set's own recipe as ``name:key=value``, or the default if it has none."""
    if own is None:
        return DEFAULT_RECIPE
    usual = recipes.spec(recipes.build(own.name)).as_dict()["params"]
    changed = {key: value for key, value in own.as_dict()["params"].items() if usual.get(key) != value}
    return write_reference(own.name, changed)
