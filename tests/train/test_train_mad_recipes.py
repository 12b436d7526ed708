"""The recipes of MAD's robust baselines, and the step size that changes with every batch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from train_setups import train

from stillproof.core.components import recipes
from stillproof.core.errors import BadInput
from stillproof.core.mad_baselines import BASELINES, baseline_for
from stillproof.defend.base.defence import defence_of
from stillproof.testing.toy import toy_images
from stillproof.train.recipe import Recipe
from stillproof.train.recipe_for import recipe_for

SGD = {"optimiser": "sgd", "momentum": 0.9, "weight_decay": 5e-4, "decay": 0.1}
# As the paper has them, or else the code of each one's authors.
CIFAR10: dict[str, dict[str, Any]] = {
    "r-at": SGD | {"epochs": 110, "batch": 128, "lr": 0.1, "decay_epochs": (100, 105), "augment": "crop-flip"},
    "r-fast": SGD | {"epochs": 15, "batch": 128, "lr": 0.2, "schedule": "cyclic", "warmup": 0},
    "r-free": SGD | {"epochs": 10, "batch": 128, "lr": 0.04, "schedule": "cyclic", "warmup": 0},
    "r-yopo": SGD | {"epochs": 38, "batch": 256, "lr": 0.2, "decay_epochs": (30, 34, 36), "augment": "crop-flip"},
    "r-atta": SGD | {"epochs": 38, "batch": 64, "lr": 0.1, "weight_decay": 2e-4, "decay_epochs": (29, 35)},
}
MNIST: dict[str, dict[str, Any]] = {
    "r-at": SGD | {"epochs": 15, "batch": 64, "lr": 0.01, "decay_epochs": (13, 14)},
    "r-fast": {"optimiser": "adam", "epochs": 10, "batch": 128, "lr": 0.005, "weight_decay": 0.0, "warmup": 4},
    "r-free": SGD | {"epochs": 10, "batch": 128, "lr": 0.04, "schedule": "cyclic"},
    "r-yopo": SGD | {"epochs": 40, "batch": 256, "lr": 0.01, "decay_epochs": (30, 35, 39)},
    "r-atta": SGD | {"epochs": 60, "batch": 128, "lr": 0.01, "weight_decay": 0.0, "decay_epochs": (54,)},
}


def test_recipes_are_those_of_the_paper() -> None:
    for name in BASELINES:
        for dataset, table in (("cifar10", CIFAR10), ("mnist", MNIST), ("digits", MNIST), ("fashion_mnist", MNIST)):
            recipe = recipe_for(name, dataset)
            assert {key: getattr(recipe, key) for key in table[name]} == table[name], (name, dataset)
            if table is MNIST or name == "r-atta":
                assert recipe.augment == "none"
        assert recipe_for(name, "svhn").augment in ("none", "crop-flip(flip=false)")


def test_baselines_name_a_defence_and_a_recipe_on_every_data_set() -> None:
    for name in BASELINES:
        for dataset in ("cifar10", "mnist", "resized:of=mnist:size=32:channels=3", "resized:of=tiny_imagenet:size=224"):
            found = baseline_for(name, dataset)
            defence = defence_of(found.defence)
            assert defence.eps == 8 / 255 and found.defence.partition(":")[0] == found.recipe == name
            recipes.build(found.recipe)
    assert baseline_for("r-yopo", "cifar10") == ("r-yopo", "r-yopo")
    yopo, atta = (defence_of(baseline_for(name, "mnist").defence) for name in ("r-yopo", "r-atta"))
    assert vars(yopo)["inner"] == 10 and yopo.steps == 5 and yopo.step == pytest.approx(8 / 255 / 30)
    assert (atta.steps, vars(atta)["reset"], vars(atta)["padding"], vars(atta)["flip"]) == (40, 0, 0, False)
    assert atta.step == yopo.step and defence_of(baseline_for("r-atta", "cifar10").defence).step == 0.007
    assert baseline_for("r-yopo", "resized:of=mnist:size=32") == baseline_for("r-yopo", "digits")
    with pytest.raises(BadInput, match=r"unknown baseline 'r-fest'.*did you mean 'r-fast'"):
        baseline_for("r-fest", "cifar10")


@given(st.integers(1, 12), st.integers(1, 5).map(lambda half: 2 * half), st.floats(1e-6, 10))
def test_a_cycle_is_that_of_torch(epochs: int, batches: int, lr: float) -> None:
    recipe = Recipe(epochs=epochs, lr=lr, schedule="cyclic")
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=lr)
    half = epochs * batches // 2
    scheduler = torch.optim.lr_scheduler.CyclicLR(
        optimiser, base_lr=0, max_lr=lr, step_size_up=half, step_size_down=half, cycle_momentum=False
    )
    for step in range(epochs * batches):
        assert recipe.lr_at(step / batches) == pytest.approx(scheduler.get_last_lr()[0], rel=1e-9, abs=1e-9 * lr)
        optimiser.step()
        scheduler.step()


def test_the_step_size_changes_before_every_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[float] = []
    step = torch.optim.SGD.step

    def watched(self: torch.optim.SGD, *given: Any) -> Any:
        rates.append(self.param_groups[0]["lr"])
        return step(self, *given)

    monkeypatch.setattr(torch.optim.SGD, "step", watched)
    train(Recipe(epochs=2, batch=9, lr=0.4, schedule="cyclic"))
    assert len(toy_images()) == 36
    assert rates == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.3, 0.2, 0.1])
    rates.clear()
    train(Recipe(epochs=4, batch=18, lr=0.4, schedule="cyclic", warmup=1))
    assert rates == pytest.approx([0.0, 0.2, 0.4, *(0.4 * share / 6 for share in (5, 4, 3, 2, 1))])


def test_a_cycle_keeps_its_momentum() -> None:
    with pytest.raises(BadInput, match="reset_momentum would forget the momentum before every batch"):
        recipes.build("r-fast:reset_momentum=true")
