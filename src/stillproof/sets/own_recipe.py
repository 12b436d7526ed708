"""How the author of a distilled set trains on it, in the words that ``--recipe`` takes."""

from __future__ import annotations

from stillproof.core.components import recipes
from stillproof.core.reference import write_reference
from stillproof.core.spec import ComponentSpec, Json
from stillproof.sets.usual_recipes import DEFAULT_RECIPE


def own_recipe(values: Json | None) -> ComponentSpec | None:
    """Read the recipe of a card; cards from before names that last say how it was spelt then."""
    if values is None:
        return None
    params = dict(values["params"])
    loss, temperature = params.pop("loss", None), params.pop("temperature", 1.0)
    if loss:
        params["objective"] = f"kl(temperature={temperature})" if loss == "kl" else loss
    return ComponentSpec(values["kind"], values["name"], values["version"], params)


def recipe_reference(own: ComponentSpec | None) -> str:
    """Return a set's own recipe as ``name:key=value``, or the default if it has none."""
    if own is None:
        return DEFAULT_RECIPE
    usual = recipes.spec(recipes.build(own.name)).as_dict()["params"]
    changed = {key: value for key, value in own.as_dict()["params"].items() if usual.get(key) != value}
    return write_reference(own.name, changed)
