"""What a configuration of BEARD trains on, and how."""

from __future__ import annotations

import re

from stillproof.core.components import augmentations, distillers
from stillproof.core.dsa_strategy import WITH_FLIP
from stillproof.core.errors import BadInput
from stillproof.core.reference import write_reference
from stillproof.importers.beard_values import NONE, BeardValues


def is_real(config: BeardValues) -> bool:
    """Say whether all real images are trained on; where a model is loaded, the key says nothing."""
    return config.is_set("src_dataset") and not config.loads_model


def has_method(config: BeardValues) -> bool:
    """Say whether there is a set to train on, or a distiller that makes one."""
    place = config.place("data_file")
    return (place is not None and place.exists()) or str(config.values["method"]).lower() in distillers.entries()


def method_of(config: BeardValues) -> str:
    """Return the set that is trained on if its file is there, else our form of the method.

    BEARD takes the first experiment of a file; ``aug`` says whether each image holds four.
    """
    method, place = str(config.values["method"]), config.place("data_file")
    if place is not None and place.exists():
        decode = "grid2x2" if config.is_set("aug") else "none"
        return write_reference(_set_name(method), {"artifact": place.resolve(), "experiment": 0, "decode": decode})
    if not has_method(config):
        raise BadInput(
            f"{config.path}: neither is there a file {place or 'data_file'}, nor a distiller called {method!r}: "
            "put the set beside the configuration."
        )
    return method.lower()


def _set_name(method: str) -> str:
    """Return a name for a set that no distiller has."""
    name = re.sub(r"[^\w.+-]+", "-", method).strip("-") or "set"
    return name.upper() if name in distillers.entries() else name


def recipe_of(config: BeardValues) -> str:
    """Return recipe ``beard`` with what the configuration says of it; batches of real images are always its own."""
    params: dict[str, object] = {}
    augmentation = _augmentation(config)
    if augmentation is not None:
        params["augment"] = augmentation
    for theirs, ours in (("lr_net", "lr"), ("batch_train", "batch")):
        if theirs in config.values and not (ours == "batch" and is_real(config)):
            params[ours] = config.number(theirs)
    if "epoch_eval_train" in config.values:  # counted to inclusive; the step size falls after the middle
        epochs = int(config.number("epoch_eval_train"))
        params |= {"epochs": epochs + 1, "decay_epochs": epochs // 2 + 2}
    return write_reference("beard", params)


def _augmentation(config: BeardValues) -> str | None:
    """Return another augmentation than that of the recipe; without DSA it is that of DC's authors, if they have one."""
    strategy = config.values.get("dsa_strategy", WITH_FLIP)
    if strategy in NONE:
        if config.values["model"] == "ConvNetBN":
            return "dc-aug(strategy=crop_noise)"
        return "dc-aug" if config.dataset == "mnist" else "none"
    if strategy == WITH_FLIP:
        return None
    augmentations.build("dsa", {"strategy": strategy})  # refuses what it does not know
    return f"dsa(strategy={strategy})"
