"""How stable a ranking is, when seeds and test images are drawn again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.spec import canonical_json
from stillproof.score.rank_stability import RESAMPLES, Stability, rank_stability
from stillproof.score.tiers import MethodAnswers

SEEDS = Seeds(0).child("test")


def answers(right: np.ndarray) -> MethodAnswers:
    return MethodAnswers(right.mean(1).tolist(), right)


def first(found: Stability) -> dict[str, float]:
    return {name: one.first for name, one in found.methods.items() if one is not None}


def some(count: int = 3, images: int = 200, seeds: int = 3) -> dict[str, MethodAnswers]:
    rng = np.random.default_rng(0)
    return {str(one): answers(rng.random((seeds, images)) < 0.5 + 0.02 * one) for one in range(count)}


def test_a_method_that_is_far_ahead_is_always_first() -> None:
    found = rank_stability({"good": MethodAnswers([0.9, 0.91]), "bad": MethodAnswers([0.1, 0.2])}, SEEDS)
    assert first(found) == {"good": 1.0, "bad": 0.0} and found.kendall == 1.0
    assert (found.over, found.resamples) == ("seeds", RESAMPLES)
    low = rank_stability(
        {"good": MethodAnswers([0.9, 0.91]), "bad": MethodAnswers([0.1, 0.2])}, SEEDS, lower_is_better=True
    )
    assert first(low) == {"good": 0.0, "bad": 1.0}
    assert found.as_dict()["methods"]["bad"] == {"first": 0.0, "ranks": [0.0, 1.0]} and canonical_json(found.as_dict())


def test_resamples_of_seeds_come_as_often_as_chance_has_it() -> None:
    # Two of three seeds favour a: it is ahead where they are drawn at least twice of three times.
    a, b = MethodAnswers([0.6, 0.6, 0.4]), MethodAnswers([0.5, 0.5, 0.5])
    wanted = stats.binom.sf(1, 3, 2 / 3)
    paired = rank_stability({"a": a, "b": b}, SEEDS)
    assert first(paired)["a"] == pytest.approx(wanted, abs=0.04)
    assert paired.kendall == pytest.approx(2 * wanted - 1, abs=0.08)
    assert first(paired)["a"] + first(paired)["b"] == 1.0, "sums of thirds never tie"


def test_shared_seeds_are_drawn_together() -> None:
    a, b = MethodAnswers([0.1, 0.5, 0.9]), MethodAnswers([0.0, 0.4, 0.8])  # always by 0.1 ahead
    assert first(rank_stability({"a": a, "b": b}, SEEDS))["a"] == 1.0
    apart = first(rank_stability({"a": a, "b": b}, SEEDS, shared_seeds=False))["a"]
    assert 0.5 < apart < 0.9


def test_images_are_drawn_again_the_same_for_all_methods() -> None:
    right = np.arange(400)[None] < np.array([[200]])
    ahead = np.arange(400)[None] < np.array([[204]])  # right on all of those, and on four more
    found = rank_stability({"a": answers(ahead), "b": answers(right)}, SEEDS)
    assert found.over == "images"
    wanted = 1 - (1 - 4 / 400) ** 400  # unless none of the four is drawn, when both are equal and share the first rank
    one, other = found.methods["a"], found.methods["b"]
    assert one is not None and other is not None
    assert one.first == 1.0 and other.shares[1] == pytest.approx(wanted, abs=0.01)


def test_the_spread_of_resampled_means_is_that_of_seeds_and_images_together() -> None:
    rng = np.random.default_rng(1)
    right = rng.random((4, 500)) < rng.random(500)
    level = float(right.mean())
    sharp = MethodAnswers([level] * 4, np.tile(np.arange(500) < round(500 * level), (4, 1)))
    found = rank_stability({"a": answers(right), "b": sharp}, SEEDS)
    assert found.over == "seeds and images" and 0.3 < first(found)["a"] < 0.7


def test_it_is_the_same_every_time_and_whatever_the_order_of_methods() -> None:
    methods = some()
    found = rank_stability(methods, SEEDS)
    assert found == rank_stability(methods, SEEDS)
    turned = rank_stability(dict(reversed(methods.items())), SEEDS)
    assert {name: turned.methods[name] for name in methods} == found.methods and turned.kendall == found.kendall
    assert found != rank_stability(methods, Seeds(1))
    for one in found.methods.values():
        assert one is not None and sum(one.shares) == pytest.approx(1)


def test_without_the_outcomes_of_one_method_seeds_alone_are_drawn() -> None:
    methods = some() | {"x": MethodAnswers([0.5, 0.6, 0.4])}
    assert rank_stability(methods, SEEDS).over == "seeds"
    single = {name: MethodAnswers([0.5]) for name in "ab"}
    assert rank_stability(single, SEEDS).as_dict() == {
        "methods": {"a": None, "b": None},
        "kendall": None,
        "over": "nothing",
        "resamples": 0,
    }


def test_a_method_that_lacks_a_value_is_not_ranked() -> None:
    methods = some()
    found = rank_stability(methods | {"x": MethodAnswers([0.5, None, 0.4])}, SEEDS)
    assert found.methods.pop("x") is None  # type: ignore[attr-defined]
    assert found.methods == rank_stability(methods, SEEDS).methods


def test_equal_methods_are_no_order() -> None:
    found = rank_stability({name: MethodAnswers([0.5, 0.6]) for name in "ab"}, SEEDS)
    assert found.kendall is None and first(found) == {"a": 1.0, "b": 1.0}


def test_what_does_not_fit_is_refused() -> None:
    right = np.ones((2, 9), bool)
    with pytest.raises(BadInput, match="different numbers of seeds"):
        rank_stability({"a": MethodAnswers([0.1, 0.2]), "b": MethodAnswers([0.1])}, SEEDS)
    with pytest.raises(BadInput, match="different numbers of test images"):
        rank_stability({"a": answers(right), "b": answers(right[:, :5])}, SEEDS)
    with pytest.raises(BadInput, match="one row of outcomes for each seed"):
        rank_stability({"a": MethodAnswers([0.1, 0.2, 0.3], right)}, SEEDS)
