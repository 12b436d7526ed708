"""Like is compared with like: sets of others and random images beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from stillproof.core.components import recipes, suites
from stillproof.core.presets import preset_params
from stillproof.suites.dd_ranking.suite import DDRanking
from stillproof.suites.fixed_set import FixedSet
from stillproof.suites.requests import Request, Row

ZCA = "zca(ref=abab)"


def rows(there: FixedSet, protocol: str = "fair", section: str = "labels", **keys: Any) -> list[Row]:
    preset = preset_params(suites.get("dd-ranking"), "smoke", "", 1)
    options = {"methods": [there.reference()], "sections": [section], "protocol": protocol}
    found = suites.build("dd-ranking", preset | options)
    assert isinstance(found, DDRanking)
    return [row for row in found.rows() if keys.items() <= row.keys.items()]


def mine(**facts: Any) -> FixedSet:
    return FixedSet("mine", "ab" * 32, "digits", 1, 10, **facts)


def trainings(found: Iterable[Request]) -> list[Request]:
    """Return what networks are trained on."""
    at = [one.train if one.stage in ("tuned", "select") else one.selected[0].train for one in found]
    return [train.on for train in at]


def test_random_images_follow_the_space_of_a_set_that_is_there() -> None:
    (row,) = rows(mine(space=ZCA), images="random")
    for on in trainings(row.requests):
        assert on.of.stage == "same-space" and on.of.like.space == ZCA


@pytest.mark.parametrize(("protocol", "whitened"), [("fair", False), ("faithful", True)])
def test_all_real_images_are_whitened_beside_a_whitened_set_as_there(protocol: str, whitened: bool) -> None:
    for there in (mine(space=ZCA), mine()):
        (real,) = rows(there, protocol, images="real")
        (own,) = rows(there, protocol, images="set", labels="own")
        alike = whitened and there.space == ZCA
        for on in trainings(real.requests):
            assert on.stage == ("same-space" if alike else "data")
            assert not alike or (on.of.stage, on.like.space) == ("data", ZCA)
        assert real.keys["real_whitened"] == own.keys["real_whitened"] == ("mine" if alike else "")


def test_random_images_beside_recorded_labels_ask_the_teacher_that_is_named_and_nobody_else() -> None:
    recorded = {"labels": "per-epoch", "recipe": "fkd:epochs=2"}
    (row,) = rows(mine(**recorded), images="random")
    assert [on.teachers for on in trainings(row.requests)] == [(), ()]
    (row,) = rows(mine(**recorded, teacher="cd" * 32), images="random")
    assert {on.teachers for on in trainings(row.requests)} == {(Request("model", artifact="cd" * 32),)}
    (row,) = rows(mine(labels="logits"), images="random")
    assert all(on.teachers[0].stage == "train" for on in trainings(row.requests))


def test_recorded_labels_have_no_accuracy_without_their_crops() -> None:
    for section in ("augmentation", "shares"):
        bare = rows(mine(labels="per-epoch", recipe="fkd:epochs=2"), section=section, labels="own", augmented=False)
        assert bare and all(row.reason and not row.requests for row in bare)


@pytest.mark.parametrize(
    ("recipe", "augment"),
    [
        ("rded:batch=10", "rded-aug(flip=false,mixed=False)"),
        ("rded:augment=rded-aug(factor=2)", "rded-aug(factor=2,mixed=False)"),
        ("sre2l", "sre2l-aug(flip=false,mixed=False)"),
        ("fkd:epochs=2", "rded-aug(min_scale=0.08,mixed=False)"),
        ("dc-bench:augment=cutmix", "none"),
        ("dc-bench:augment=dsa(strategy=flip)", "dsa(strategy=flip)"),
    ],
)
def test_hard_labels_are_never_mixed_whoever_made_the_set(recipe: str, augment: str) -> None:
    (row,) = rows(mine(recipe=recipe), images="set", labels="hard")
    assert recipes.build(row.keys["recipe"]).augment == augment


@pytest.mark.parametrize("labels", ["logits", "per-epoch", "taught"])
def test_soft_labels_of_others_keep_their_rate_where_the_original_keeps_it(labels: str) -> None:
    there = mine(labels=labels, recipe="dc-bench-dsa:lr=0.0123")
    kept = rows(there, "faithful", images="set")
    assert {(row.keys["labels"], row.keys["rate"]) for row in kept} == {("own", "own"), ("hard", "searched")}
    assert all(row.keys["rate"] == "searched" for row in rows(there, "fair", images="set"))
    assert all(row.keys["rate"] == "searched" for row in rows(mine(labels="hard"), "faithful", images="set"))
