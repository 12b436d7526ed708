"""Every value that a parameter allows is tried, of plug-ins too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stillproof.core.components import REGISTRIES
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.core.spec import Json
from stillproof.testing.check import check_module
from stillproof.testing.choices import TITLE

NETWORK = """
from dataclasses import dataclass
from typing import Literal
from torch import nn
from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.nets.body import Body
POOLS = {"avg": nn.AvgPool2d, "max": nn.MaxPool2d}
class Wrong(Body):
    def __init__(self, config, channels, size, num_classes):
        super().__init__()
        self.pool = POOLS[config.pooling](2)
        self.classifier = nn.Linear(channels * (size // 2) ** 2, num_classes)
    def features(self, images):
        return self.pool(images).flatten(1)
@networks.register("wrong", version=1, names={"wrong-max": {"pooling": "max"}})
@dataclass(frozen=True)
class Config:
    pooling: Literal["avg", "max", "median"] = "avg"
    def build(self, channels, size, num_classes):
        REFUSED
        return Wrong(self, channels, size, num_classes)
"""
RECIPE = """
from dataclasses import dataclass
from typing import Literal
from stillproof import recipes
from stillproof.train.recipe import Recipe
@recipes.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong(Recipe):
    schedule: Literal["steps", "sawtooth"] | None = "steps"
    def lr_at(self, epoch):
        return {"steps": super().lr_at}[self.schedule](epoch)
"""


@pytest.fixture
def checked(request: pytest.FixtureRequest) -> Iterator[list[Json]]:
    plugin = Plugin("wrong.py", request.param)
    load_plugin(plugin)
    yield check_module(plugin.module)
    for registry in REGISTRIES.values():
        registry.remove(plugin.module)


def tried(checked: list[Json]) -> dict[str, str]:
    return {result["name"]: result["problem"] for result in checked if result["check"] == TITLE}


@pytest.mark.parametrize("checked", [NETWORK.replace("REFUSED", "")], indirect=True)
def test_a_value_that_is_allowed_and_missing_is_found_out_once(checked: list[Json]) -> None:
    assert tried(checked) == {"wrong": "pooling=median is allowed, but ends in KeyError: 'median'"}
    assert not [result for result in checked if result["check"] != TITLE and not result["ok"]], "nothing else shows it"


REFUSES = "if self.pooling == 'median': raise BadInput('pooling = median is for larger images.')"


@pytest.mark.parametrize("checked", [NETWORK.replace("REFUSED", REFUSES)], indirect=True)
def test_a_value_may_be_refused_in_a_sentence(checked: list[Json]) -> None:
    assert tried(checked) == {"wrong": ""}


@pytest.mark.parametrize("checked", [RECIPE], indirect=True)
def test_values_are_found_beside_others(checked: list[Json]) -> None:
    assert tried(checked) == {"wrong": "schedule=sawtooth is allowed, but ends in KeyError: 'sawtooth'"}
