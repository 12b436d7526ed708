from __future__ import annotations

from typing import ClassVar

import pytest

from stillproof.core.index import Entry
from stillproof.core.presets import Preset, preset_params


class Method:
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset("paper", {"lr": 1.0, "steps": 100}),
        Preset("paper", {"lr": 10.0}, min_ipc=50),
        Preset("paper", {"init": "noise"}, datasets=("mnist", "digits"), max_ipc=1),
        Preset("smoke", {"steps": 3}),
    )


@pytest.mark.parametrize(
    ("scale", "dataset", "ipc", "expected"),
    [
        ("paper", "cifar10", 49, {"lr": 1.0, "steps": 100}),
        ("paper", "cifar10", 50, {"lr": 10.0, "steps": 100}),
        ("paper", "digits", 1, {"lr": 1.0, "steps": 100, "init": "noise"}),
        ("paper", "digits", 2, {"lr": 1.0, "steps": 100}),
        ("paper", "cifar10", 1, {"lr": 1.0, "steps": 100}),
        ("smoke", "digits", 1, {"steps": 3}),
        ("quick", "digits", 1, {}),
    ],
)
def test_rows_that_fit_are_merged_and_later_ones_win(
    scale: str, dataset: str, ipc: int, expected: dict[str, object]
) -> None:
    assert preset_params(Method, scale, dataset, ipc) == expected


def called(name: str, **fixed: object) -> Entry:
    return Entry("distillers", name, 1, "", "", "", "", "", "family", fixed=fixed)


def test_a_short_name_wins_over_the_presets_of_its_family() -> None:
    short = called("family-short", lr=7.0)
    assert preset_params(Method, "paper", "cifar10", 50, short) == {"steps": 100}
    assert preset_params(Method, "paper", "digits", 1, short) == {"steps": 100, "init": "noise"}
    assert preset_params(Method, "paper", "cifar10", 50, called("family")) == {"lr": 10.0, "steps": 100}


def test_only_presets_for_a_short_name_override_it() -> None:
    class Narrowed:
        presets: ClassVar[tuple[Preset, ...]] = (
            Preset("smoke", {"steps": 1}, names=("family-short",)),
            Preset("smoke", {"steps": 3, "lr": 1.0}),
        )

    assert preset_params(Narrowed, "smoke", "digits", 1, called("family-short", steps=9)) == {"lr": 1.0, "steps": 1}
    assert preset_params(Narrowed, "smoke", "digits", 1, called("family-other", steps=9)) == {"lr": 1.0}
    assert preset_params(Narrowed, "smoke", "digits", 1) == {"lr": 1.0, "steps": 3}


def test_merging_leaves_the_table_alone() -> None:
    preset_params(Method, "paper", "cifar10", 50)["steps"] = 0
    assert Method.presets[0].params == {"lr": 1.0, "steps": 100}


def test_a_method_without_presets_has_none() -> None:
    assert preset_params(object, "paper", "cifar10", 1) == {}
