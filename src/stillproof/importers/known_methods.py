"""What a method's name says of its sets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from stillproof.core.dsa_strategy import WITH_FLIP, strategy_for
from stillproof.importers.foreign_set import OWN, ForeignSet
from stillproof.sets.usual_recipes import AUGMENTED_RECIPE, DEFAULT_RECIPE, datadam_recipe, dc_recipe, dsa_recipe

MATCHING = ("MTT", "TESLA", "FTD", "DATM", "EDF")  # match trajectories
NAMES = ("DC", "DSA", "DM", "DataDAM", "IDM", "BACON", "IDC", "DREAM", *MATCHING)
KNOWN = {name.lower(): name for name in NAMES} | {"tm": "MTT"}
PACKED = frozenset({"IDM", "BACON", "IDC", "DREAM"})
WITHOUT_AUGMENTATION = frozenset({"DC"})  # but on MNIST; the others train with DSA
# Their own recipes here are those of their authors; IDC and DREAM also mix images, and KIP's networks are wide.
FOLLOWED = frozenset({"DC", "DSA", "DM", "DataDAM"})
MIRRORS_DIGITS = frozenset({"BACON"})


def method_in(path: Path, default: str = OWN) -> str:
    """Return the method that a file's name or its folder's speaks of, or the format's own, if it has one."""
    words = re.split(r"[^a-z0-9]+", f"{path.name}/{path.parent.name}".lower())
    return next((KNOWN[word] for word in words if word in KNOWN), default)


def decode_of(method: str) -> Literal["none", "grid2x2"]:
    """Say whether each image of this method holds four."""
    return "grid2x2" if method in PACKED else "none"


def recipe_of(method: str) -> str:
    """Return the name of the recipe that the method's authors train with; nothing for the default."""
    return AUGMENTED_RECIPE if method in NAMES and method not in WITHOUT_AUGMENTATION else ""


def recipe_on(recipe: str, method: str, dataset: str, file: str) -> str:
    """Return the recipe of a method's authors for a data set; ``recipe`` is what is known of it without.

    The name of a file of DC tells the network, as in ``res_DC_MNIST_ConvNetBN_1ipc.pt``.
    """
    if method in WITHOUT_AUGMENTATION and not recipe:
        own = dc_recipe(dataset, batch_norm="convnetbn" in file.lower())
        return "" if own == DEFAULT_RECIPE else own
    if recipe != AUGMENTED_RECIPE:
        return recipe
    strategy = WITH_FLIP if method in MIRRORS_DIGITS else strategy_for(dataset)
    return datadam_recipe(strategy) if method == "DataDAM" else dsa_recipe(strategy)


def whitening_of(foreign: ForeignSet) -> str:
    """Return the whitening that a set in ZCA space refers to: what its format says, or its method."""
    return "normalised" if foreign.method == "DataDAM" else foreign.whitening
