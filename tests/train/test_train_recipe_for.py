from __future__ import annotations

from pathlib import Path

import pytest

from stillproof.core.components import augmentations
from stillproof.core.dsa_strategy import WITH_FLIP, WITHOUT_FLIP
from stillproof.run.plan import Planner
from stillproof.suites.requests import real_images, trained
from stillproof.train.recipe_for import recipe_for
from stillproof.transforms.dsa import DSA

FLIPPED = "teacher:augment=crop-flip"


@pytest.mark.parametrize("recipe", ["teacher", "teacher-quick"])
@pytest.mark.parametrize(("dataset", "flips"), [("cifar10", True), ("digits", False), ("mnist", False)])
def test_teachers_mirror_photographs_and_no_digits(recipe: str, dataset: str, flips: bool) -> None:
    assert (recipe_for(recipe, dataset).augment == "crop-flip") is flips
    assert recipe_for(f"{recipe}:augment=none", dataset).augment == "none", "what a user names counts"


@pytest.mark.parametrize(
    ("dataset", "flips"), [("cifar10", True), ("digits", False), ("mnist", False), ("svhn", False)]
)
def test_dsa_mirrors_photographs_and_no_digits(dataset: str, flips: bool) -> None:
    found = augmentations.build(recipe_for("dc-bench-dsa:lr=0.1", dataset).augment)
    assert found == DSA(WITH_FLIP if flips else WITHOUT_FLIP)
    assert recipe_for("dc-bench-dsa:augment=dsa", dataset).augment == "dsa", "what a user names counts"


def test_other_recipes_are_the_same_everywhere() -> None:
    assert recipe_for("dc-bench:lr=0.1", "digits") == recipe_for("dc-bench:lr=0.1", "cifar10")


def test_a_plan_has_the_recipe_of_its_data_set(tmp_path: Path) -> None:
    plan = Planner(tmp_path).plan
    asked = [trained(real_images("digits"), "convnet-1-bn", recipe, 0) for recipe in ("teacher", FLIPPED)]
    cells = [plan(request) for request in asked]
    assert [cell.spec["recipe"]["augment"]["params"] for cell in cells] == [{"flip": False}, {}]
