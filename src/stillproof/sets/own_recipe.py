"""How the author of a distilled set trains on it, in the words that ``--recipe`` takes."""

from __future__ import annotations

from stillproof.core.components import networks, recipes
from stillproof.core.reference import write_reference
from stillproof.core.spec import ComponentSpec, Json
from stillproof.core.types import Distilled, Network
from stillproof.sets.usual_recipes import DEFAULT_RECIPE, dc_recipe
from stillproof.train.recipe_for import recipe_for

DC = ("dc", "DC")  # made here, and by others


def own_recipe(values: Json | None) -> ComponentSpec | None:
    """Read the recipe of a card; cards from before names that last say how it was spelt then."""
    if values is None:
        return None
    params = dict(values["params"])
    loss, temperature = params.pop("loss", None), params.pop("temperature", 1.0)
    if loss:
        params["objective"] = f"kl(temperature={temperature})" if loss == "kl" else loss
    return ComponentSpec(values["kind"], values["name"], values["version"], params)


def recipe_reference(own: ComponentSpec | None, dataset: str = "") -> str:
    """Return a set's own recipe as ``name:key=value``, or the default if it has none.

    What the recipe is on the set's data set anyway is left out.
    """
    if own is None:
        return DEFAULT_RECIPE
    usual = recipes.spec(recipe_for(own.name, dataset.partition(":")[0])).as_dict()["params"]
    changed = {key: value for key, value in own.as_dict()["params"].items() if usual.get(key) != value}
    return write_reference(own.name, changed)


def recipe_on(distilled: Distilled, network: Network) -> str:
    """Return how a set's author trains ``network`` on it.

    DC's authors ask which network that is: their ConvNet with batch norm has a recipe of its own. A card has the one
    for the network that the set was made with.
    """
    card = distilled.card
    written = recipe_reference(distilled.recipe, card.dataset)
    theirs = {normed: dc_recipe(card.dataset, batch_norm=normed) for normed in (False, True)}
    if card.method not in DC or written not in theirs.values():
        return written
    # They ask for it by name: their other networks with batch norm (with Swish, AlexNet, VGG, ResNet) are not meant.
    asked = networks.spec(network)
    return theirs[asked.name == "convnet" and {"norm": "batch", "activation": "relu"}.items() <= asked.params.items()]
