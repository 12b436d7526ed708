"""How each method's sets are trained on: one recipe for methods of hard labels, their own for those with teachers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from stillproof.core.components import distillers, recipes
from stillproof.core.dsa_strategy import DIGIT_SETS
from stillproof.core.reference import changed_reference, parse_reference, write_nested
from stillproof.suites.augmentation_variants import meant_on
from stillproof.suites.fixed_set import fixed_set

LabelKind = Literal["hard", "taught", "unknown"]
TAUGHT = ("rded", "sre2l")
IMAGENET = "imagenet"
TESTED_EVERY = {"hard": 10, "own": 20}  # epochs, where the original keeps the best


@dataclass(frozen=True)
class Setting:
    """How one method's sets are trained on.

    Args:
        recipe: With its own labels.
        hard_recipe: With hard labels: the same optimiser, epochs and changes of single images, but nothing is mixed.
        labels: What labels its sets have, as far as that is known before they are made.
        network: The network, if it is not the suite's.
    """

    recipe: str
    hard_recipe: str
    labels: LabelKind
    network: str = ""


def fair_setting(method: str, ipc: int, dataset: str, recipe: str, taught_epochs: int) -> Setting:
    """Return the setting of a method.

    Args:
        method: The method, or a set that is there already.
        ipc: Images per class.
        dataset: The data set.
        recipe: How sets with hard labels are trained on.
        taught_epochs: Epochs under a teacher; 0 for those of the recipe.
    """
    there = fixed_set(method)
    if there:
        own = there.recipe or recipe
        return Setting(own, changed_reference(own, objective="cross-entropy"), "unknown")
    name, _ = parse_reference(method)
    if name in TAUGHT:
        made = TAUGHT_RECIPES[name](dataset, ipc)
        shorter = {"epochs": taught_epochs} if taught_epochs else {}
        return _taught(changed_reference(made, **shorter), name, dataset)
    return Setting(recipe, recipe, "hard" if distillers.entry(name).origin == "stillproof" else "unknown")


def _taught(recipe: str, name: str, dataset: str, network: str = "", **augment: object) -> Setting:
    """Return the setting of a method with a teacher: hard labels have no use for mixed images."""
    upright = {"flip": False} if dataset in DIGIT_SETS else {}
    plain = write_nested(f"{name}-aug", {"mixed": False, **upright, **augment})
    return Setting(recipe, changed_reference(recipe, objective="cross-entropy", augment=plain), "taught", network)


def _rded(dataset: str, ipc: int) -> str:
    if dataset == "cifar100":
        return "rded:batch=25:lr=0.002"
    return f"rded:batch={10 if ipc < 10 else 50 if ipc < 50 else 100}"


TAUGHT_RECIPES: dict[str, Callable[[str, int], str]] = {"rded": _rded, "sre2l": lambda *_: "sre2l"}


def faithful_setting(method: str, ipc: int, dataset: str, recipe: str, taught_epochs: int) -> Setting:
    """Return the setting that DD-Ranking states: by data set, and for ImageNet those of its Table 1.

    The original tests every 10 epochs (20 under soft labels) and keeps the best. Its test images for RDED are first
    enlarged and then cropped, which is not done here. DC is trained on without augmentation.
    """
    usual = fair_setting(method, ipc, dataset, recipe, taught_epochs)
    name, _ = parse_reference(method)
    if name == "sre2l":
        usual = _faithful_sre2l(dataset, taught_epochs)
    elif name == "rded":
        network = "resnet-18-bn-imagenet" if dataset == IMAGENET else "home-bn"
        usual = Setting(usual.recipe, usual.hard_recipe, "taught", network)
    elif usual.labels == "hard":
        augment = "none" if name == "dc" else meant_on("dsa", dataset)
        plain = changed_reference(recipe, augment=augment)
        usual = Setting(plain, plain, "hard")
    own = _tested(usual.recipe, "hard" if usual.labels == "hard" else "own")
    return Setting(own, _tested(usual.hard_recipe, "hard"), usual.labels, usual.network)


def _faithful_sre2l(dataset: str, taught_epochs: int) -> Setting:
    shorter = {"epochs": taught_epochs} if taught_epochs else {}
    if dataset == IMAGENET:
        recipe = changed_reference("rded", batch=1024, augment="rded-aug(min_scale=0.08)", **shorter)
        return _taught(recipe, "rded", dataset, "resnet-18-bn-imagenet", min_scale=0.08)
    recipe = changed_reference("sre2l", batch=256, schedule="cosine-to-half", **shorter)
    return _taught(recipe, "sre2l", dataset, "resnet-18-bn")


def _tested(recipe: str, labels: str) -> str:
    """Return a recipe with a point of the curve wherever the original looks at the test images."""
    epochs: int = recipes.build(recipe).epochs
    return changed_reference(recipe, curve_points=max(1, epochs // TESTED_EVERY[labels]))
