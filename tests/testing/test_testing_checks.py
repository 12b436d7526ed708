"""Components that break their contract are told of it, each by the check that it breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from stillproof.core.components import REGISTRIES
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.testing.check import check_module

HEAD = """
from __future__ import annotations
from dataclasses import dataclass
from stillproof import DataInfo, datasets, recipes, suites
from stillproof.core.errors import BadInput, DataMissing
from stillproof.suites.requests import Row
from stillproof.train.recipe import Recipe
"""
SUITE = """
from dataclasses import dataclass
from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.suites.requests import Row
@suites.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong:
    seeds: int = 1
    def rows(self):
"""
RECIPE = '@recipes.register("wrong", version=1)\n@dataclass(frozen=True)\nclass Wrong(Recipe):\n'
DATA = """
@datasets.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong:
    @property
    def info(self):
        return DataInfo("wrong", 1, 8, 2, (0.5,), (0.5,), "")
    def load(self, root, split):
"""
RECORDED = """
import dataclasses, itertools
import torch
from dataclasses import dataclass
from stillproof.core.components import distillers
from stillproof.core.labels import PerEpoch
runs = itertools.count()
@distillers.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong:
    def distill(self, data, ipc, ctx):
        chosen = torch.cat([data.of_class(label)[:ipc] for label in range(data.num_classes)])
        count = len(chosen)
        labels = PerEpoch(
            values=data.labels[chosen], order=torch.arange(count).int()[None], coords=torch.ones(1, count, 4),
            flip=torch.zeros(1, count, dtype=torch.bool), mix_index=torch.zeros(1, count).int(),
            mix_lambda=torch.ones(1, 1), mix_box=torch.zeros(1, 1, 4).int(),
            logits=torch.full((1, count, data.num_classes), float(LOGIT)), batch=count)
        made = ctx.distilled(ctx.into_space(data.read(chosen)), labels, data)
        return RESULT
"""

Check = Callable[[str], dict[str, str]]


@pytest.fixture
def checked() -> Iterator[Check]:
    loaded: list[Plugin] = []

    def check(source: str) -> dict[str, str]:
        loaded.append(Plugin("wrong.py", source))
        load_plugin(loaded[-1])
        return {result["check"]: result["problem"] for result in check_module(loaded[-1].module)}

    yield check
    for plugin in loaded:
        for registry in REGISTRIES.values():
            registry.remove(plugin.module)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("    decay: float = 0.0\n    decay_epochs: tuple[int, ...] = (3,)\n", "the step size of epoch 3 is 0.0"),
        (
            "    epochs: int = 1500\n    decay: float = 2.0\n    decay_epochs: tuple[int, ...] = (1,) * 1025\n",
            "Overflow",
        ),
        ("    augment: str = 'nonsense'\n", "unknown augmentation 'nonsense'"),
        ("    surprise: int = 1\n", "surprise"),
        ("    def lr_at(self, epoch): return 0.5\n", "its own step size of epoch 0 does not reach the loop"),
        ("    curve_points: int = 2\n    def is_measured(self, epoch): return epoch == 299\n", "has 1 points, not 2"),
        ("    def is_measured(self, epoch): return epoch == 0\n", "the last epoch is not on its curve"),
    ],
)
def test_a_recipe_that_cannot_be_trained_with_is_found_out(checked: Check, body: str, problem: str) -> None:
    assert problem in " ".join(checked(HEAD + RECIPE + body).values())


def test_a_recipe_that_is_no_recipe_is_told_so(checked: Check) -> None:
    problems = checked(HEAD + RECIPE.replace("(Recipe)", "") + "    epochs: int = 1\n")
    assert all("Wrong is not a subclass of stillproof.train.recipe.Recipe" in problem for problem in problems.values())


def test_more_points_than_epochs_are_one_per_epoch(checked: Check) -> None:
    assert set(checked(HEAD + RECIPE + "    epochs: int = 3\n    curve_points: int = 9\n").values()) == {""}


@pytest.mark.parametrize(
    ("rows", "check", "problem"),
    [
        ("return []", "has rows with requests, or says clearly why not", "it has no rows, and does not say why"),
        ("return [Row({'a': 1}, ())]", "has rows with requests, or says clearly why not", "has no requests"),
        ("raise BadInput('no')", "has rows with requests, or says clearly why not", "its message does not help"),
        ("raise KeyError('x')", "has rows with requests, or says clearly why not", "KeyError"),
        ("return [Row({'a': {1}}, (1,))]", "the keys of its rows are plain JSON", "TypeError"),
        ("return [Row({'cells': 1}, (1,))]", "the keys of its rows are plain JSON", "which the store needs"),
        ("import torch\n        return [Row({}, (1,))]", "leaves torch alone", "it imports torch"),
    ],
)
def test_a_suite_that_breaks_its_contract_is_found_out(checked: Check, rows: str, check: str, problem: str) -> None:
    assert problem in checked(f"{SUITE}        {rows}\n")[check]


def test_a_suite_that_builds_at_some_scales_only_is_found_out(checked: Check) -> None:
    head = "from stillproof import Preset\nfrom typing import ClassVar\n"
    presets = "    presets: ClassVar[tuple[Preset, ...]] = (Preset('smoke', {'sedes': 1}),)\n    def rows"
    problems = checked(head + SUITE.replace("    def rows", presets) + "        return [Row({}, (1,))]\n")
    assert "unknown parameter 'sedes' of suite '" in problems["builds at each scale, from plain JSON"]


def test_a_suite_may_need_more_than_its_defaults(checked: Check) -> None:
    problems = checked(SUITE + "        raise BadInput('the suite needs at least one data set.')\n")
    assert set(problems.values()) == {""} and len(problems) == 4


def test_a_data_set_whose_reading_raises_breaks_its_contract_and_nothing_else(checked: Check) -> None:
    problems = checked(HEAD + DATA + "        raise ZeroDivisionError('oh')\n")
    assert set(problems.values()) == {"ZeroDivisionError: oh"} and len(problems) == 2


def test_a_data_set_that_is_not_here_is_only_asked_to_say_so(checked: Check) -> None:
    problems = checked(HEAD + DATA + "        raise DataMissing('put its files where they belong.')\n")
    assert problems == {"says clearly when its files are not there": ""}


def recorded(logit: str, result: str = "made") -> str:
    return RECORDED.replace("LOGIT", logit).replace("RESULT", result)


def test_a_distiller_that_records_logits_keeps_its_contract(checked: Check) -> None:
    assert set(checked(recorded("0.5")).values()) == {""}


def test_recorded_logits_that_differ_between_two_runs_are_found_out(checked: Check) -> None:
    problems = checked(recorded("next(runs)"))
    assert problems["the same seed gives the same bytes"] == "two runs under one seed give different sets"
    assert "another set" in problems["a stopped run goes on to the same result"]


def test_a_card_that_forgets_the_recorded_logits_is_found_out(checked: Check) -> None:
    forgetful = "dataclasses.replace(made, card=dataclasses.replace(made.card, bytes=made.images.nbytes))"
    problems = checked(recorded("0.5", forgetful))
    assert "but the set takes" in problems["gives finite images of the right shape, ipc of each class"]
