"""Published values of MAD stand beside rows of its protocol alone."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from stillproof.report.answers import Answered
from stillproof.suites.mad.defence_scores import Scored
from stillproof.suites.mad.published import published_ablation, published_of
from stillproof.suites.mad.suite import Mad
from stillproof.suites.requests import Row


@pytest.fixture(autouse=True)
def _all_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stillproof.suites.mad.known_attacks.find_spec", lambda name: name)
    rows_of.cache_clear()


@functools.cache
def rows_of(suite: Mad) -> list[Row]:
    return [row for row in suite.rows() if row.keys["section"] in ("defences", "ablations")]


def row_of(suite: Mad, **keys: Any) -> Row:
    return next(row for row in rows_of(suite) if keys.items() <= row.keys.items())


def one_of(suite: Mad, **keys: Any) -> Scored:
    return Scored(Answered(row_of(suite, **keys).keys, []), {}, {})


def printed(suite: Mad, defence: str = "r-at", *, after: bool = True) -> list[str | None]:
    found = published_of(one_of(suite, defence=defence, variant=""), after=after)
    return [None if value is None else value.printed for value in found.values()]


def faithful(**options: Any) -> Mad:
    return Mad(**{"protocol": "faithful", "sections": ("defences",), **options})


def test_tables_2_and_3() -> None:
    assert printed(faithful()) == ["89.00", "47.19", "96.85"]
    assert printed(faithful(), after=False) == ["88.35", "52.20", None]
    assert printed(faithful(dataset=("mnist",)), "meta-at") == ["99.76", "98.83", "98.23"]


def test_tables_4_and_5() -> None:
    suite = faithful(sections=("ablations",))
    found = {
        variant: [value and value.printed for value in published_ablation(one_of(suite, variant=variant)).values()]
        for variant in ("", "inner_lr=0.001,lr=0.0001", "eta=0,clip=0,warmup=0,smoothing=0,mixup=0", "order=first")
    }
    wanted = [["95.50", "100.92", "46.00"], ["93.20", "97.80", None], ["98.30", "97.70", "32.60"], [None] * 3]
    assert list(found.values()) == wanted


@pytest.mark.parametrize(
    "options",
    [
        {"protocol": "fair"},
        {"scale": "quick"},
        {"dataset": ("cifar100",)},
        {"dataset": ("svhn",)},
        {"dataset": ("mnist",), "like": "mad-c"},
        {"dataset": ("resized:of=mnist:size=8",)},
        {"split": (1, 1, 1)},
        {"clean_limit": 10},
        {"attacks": ("mad/13", "mad/2", "mad/9")},
        {"start": "none"},
        {"network": "convnet-3"},
        {"baseline_recipe": "quick-real"},
        {"meta": "meta-at:ways=2"},
        {"episodes": 10},
    ],
    ids=str,
)
def test_nothing_stands_beside_anything_else(options: dict[str, Any]) -> None:
    assert printed(faithful(**options)) == [None] * 3


def test_nothing_stands_where_attacks_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stillproof.suites.mad.known_attacks.find_spec", lambda name: None)
    assert printed(faithful()) == [None] * 3
