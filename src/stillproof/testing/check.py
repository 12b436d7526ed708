"""Runs the contract checks over everything that one module registers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from stillproof.core.components import REGISTRIES
from stillproof.core.spec import Json
from stillproof.testing.check_attack import check_attack
from stillproof.testing.check_augmentation import check_augmentation
from stillproof.testing.check_dataset import check_dataset
from stillproof.testing.check_defence import check_defence
from stillproof.testing.check_distiller import check_distiller
from stillproof.testing.check_executor import check_executor
from stillproof.testing.check_metric import check_metric
from stillproof.testing.check_network import check_network
from stillproof.testing.check_objective import check_objective
from stillproof.testing.check_recipe import check_recipe
from stillproof.testing.check_stage import check_stage
from stillproof.testing.check_suite import check_suite
from stillproof.testing.checks import Result

CHECKS: dict[str, Callable[[str], list[Result]]] = {
    "distillers": check_distiller,
    "networks": check_network,
    "augmentations": check_augmentation,
    "datasets": check_dataset,
    "objectives": check_objective,
    "recipes": check_recipe,
    "attacks": check_attack,
    "defences": check_defence,
    "suites": check_suite,
    "stages": check_stage,
    "metrics": check_metric,
    "executors": check_executor,
}


def check_module(module: str) -> list[Json]:
    """Return the results of all checks, as JSON values."""
    found = [
        result
        for plural, check in CHECKS.items()
        for name, entry in REGISTRIES[plural].entries().items()
        if entry.module == module
        for result in check(name)
    ]
    return [dataclasses.asdict(result) | {"ok": result.ok} for result in found]
