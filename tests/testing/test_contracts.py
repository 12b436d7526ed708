"""Every registered component through the contract that it must keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stillproof.core.components import (
    REGISTRIES,
    attacks,
    augmentations,
    datasets,
    defences,
    distillers,
    executors,
    metrics,
    networks,
    objectives,
    recipes,
    stages,
    suites,
)
from stillproof.core.registry import Registry
from stillproof.data.load import data_root
from stillproof.testing.check import CHECKS
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
from stillproof.testing.choices import choices_of

RESIZED = "resized:of=digits:size=16:channels=3"
# Deep networks cost minutes on two cores; their smaller sisters keep the same contract by the same code.
HEAVY = ("resnet-34", "resnet-50", "resnet-101", "resnet-152")
# Some have two names: the family's own counts.
BY_FAMILY = sorted(networks.entries().values(), key=lambda entry: entry.name == entry.family)
NETWORKS = sorted({networks.build(entry.name): entry.name for entry in BY_FAMILY}.values())


def lists_values(registry: Registry[Any], name: str) -> bool:
    """Say whether the values of some parameter are listed, each of which is then tried."""
    return bool(choices_of(registry, name))


def failures(results: list[Result]) -> list[str]:
    assert results
    return [f"{result.name}: {result.check}: {result.problem}" for result in results if not result.ok]


def test_every_kind_of_component_has_a_contract() -> None:
    assert CHECKS.keys() == REGISTRIES.keys()


@pytest.mark.parametrize("name", sorted(stages.entries()))
def test_stage_keeps_its_contract(name: str) -> None:
    results = check_stage(name)
    assert failures(results) == [] and len(results) == 2  # none of them can be asked without parameters


@pytest.mark.parametrize("name", sorted(metrics.entries()))
def test_metric_keeps_its_contract(name: str) -> None:
    results = check_metric(name)
    assert failures(results) == [] and len(results) == 5 + lists_values(metrics, name)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name == "pool" else ()) for name in sorted(executors.entries())],
)
def test_executor_keeps_its_contract(name: str) -> None:
    results = check_executor(name)
    assert failures(results) == [] and len(results) == (1 if executors.get(name).submits else 4)


@pytest.mark.parametrize("name", sorted(objectives.entries()))
def test_objective_keeps_its_contract(name: str) -> None:
    results = check_objective(name)
    assert failures(results) == [] and len(results) == 7 + lists_values(objectives, name)


@pytest.mark.parametrize("name", sorted(name for name, entry in attacks.entries().items() if not entry.below))
def test_attack_keeps_its_contract(name: str) -> None:
    results = check_attack(name)
    assert failures(results) == [] and len(results) == 10 + lists_values(attacks, name)


@pytest.mark.parametrize("name", sorted(defences.entries()))
def test_defence_keeps_its_contract(name: str) -> None:
    results = check_defence(name)
    assert failures(results) == [] and len(results) == 9 + lists_values(defences, name)


@pytest.mark.parametrize("name", sorted(recipes.entries()))
def test_recipe_keeps_its_contract(name: str) -> None:
    results = check_recipe(name)
    assert failures(results) == [] and len(results) == 4 + lists_values(recipes, name)


@pytest.mark.parametrize("name", sorted(suites.entries()))
def test_suite_keeps_its_contract(name: str) -> None:
    results = check_suite(name)
    assert failures(results) == [] and len(results) == 4 + lists_values(suites, name)


@pytest.mark.parametrize("name", sorted(distillers.entries()))
def test_distiller_keeps_its_contract(name: str) -> None:
    assert failures(check_distiller(name)) == []


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n.startswith(HEAVY) else n for n in NETWORKS],
)
def test_network_keeps_its_contract(name: str) -> None:
    assert failures(check_network(name)) == []


@pytest.mark.parametrize("name", sorted(augmentations.entries()))
def test_augmentation_keeps_its_contract(name: str) -> None:
    assert failures(check_augmentation(name)) == []


@pytest.mark.parametrize("name", [*sorted(datasets.entries().keys() - {"image_folder", "resized"}), RESIZED])
def test_data_set_keeps_its_contract(name: str) -> None:
    assert failures(check_dataset(name, data_root(None))) == []


def test_own_images_keep_the_contract_of_data_sets(tmp_path: Path) -> None:
    from PIL import Image

    for split in ("train", "test"):
        for number, label in enumerate(("cat", "dog")):
            folder = tmp_path / split / label
            folder.mkdir(parents=True)
            for shade in range(3):
                Image.new("RGB", (40, 30), (80 * shade, 100 * number, len(split))).save(folder / f"{shade}.png")
    assert failures(check_dataset(f"image_folder:path={tmp_path}:size=16", tmp_path)) == []
