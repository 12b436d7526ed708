"""Which variant of an augmentation is meant on a data set."""

from __future__ import annotations

from collections.abc import Iterable

from stillproof.core.components import recipes
from stillproof.core.dsa_strategy import WITH_FLIP, strategy_for
from stillproof.core.reference import parse_reference

POLICY = "auto-augment"
POLICIES = {"tiny_imagenet": "auto-augment-imagenet"}  # as DC-Bench has it; elsewhere that of CIFAR-10


def augmentation_of(recipe: str) -> str:
    """Return the augmentation that a recipe names, or has by default."""
    name, _ = parse_reference(recipe)
    return dict(recipes.entry(name).named_in(recipe)).get("augmentations", "none")


def variant_on(augmentation: str, dataset: str) -> str:
    """Return the augmentation as it is used on a data set: DSA does not mirror digits, policies are of its kind."""
    strategy, policy = strategy_for(dataset), POLICIES.get(dataset, POLICY)
    if augmentation == "dsa" and strategy != WITH_FLIP:
        return f"dsa(strategy={strategy})"
    return augmentation if augmentation.startswith(policy) else augmentation.replace(POLICY, policy)


def distinct_on(augmentations: Iterable[str], dataset: str) -> list[str]:
    """Return the augmentations without those that mean the same as an earlier one."""
    found: dict[str, str] = {}
    for name in augmentations:
        found.setdefault(variant_on(name, dataset), name)
    return list(found.values())
