from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from stillproof.core.components import recipes, suites
from stillproof.core.errors import BadInput
from stillproof.core.presets import SCALES, preset_params
from stillproof.suites.dd_ranking.suite import DDRanking
from stillproof.suites.requests import Request, Row

SECTIONS = [section.name for section in DDRanking.reports]


def suite(scale: str = "smoke", **options: Any) -> DDRanking:
    found = suites.build("dd-ranking", preset_params(suites.get("dd-ranking"), scale, "", 1) | options)
    assert isinstance(found, DDRanking)
    return found


def of(rows: Iterable[Row], **keys: Any) -> list[Row]:
    return [row for row in rows if all(row.keys.get(key) == value for key, value in keys.items())]


def within(request: Request) -> Iterator[Request]:
    """Yield a request and all requests that it is made of."""
    yield request
    for value in request.params.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Request):
                yield from within(part)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("protocol", ["fair", "faithful"])
def test_every_scale_asks_every_question(scale: str, protocol: str) -> None:
    assert {row.keys["section"] for row in suite(scale, protocol=protocol).rows()} == set(SECTIONS)


@pytest.mark.parametrize("protocol", ["fair", "faithful"])
def test_all_real_images_may_be_left_out(protocol: str) -> None:
    whole, rest = (suite(protocol=protocol, **left_out).rows() for left_out in ({}, {"full_recipe": "none"}))
    assert of(whole, images="real") and not of(rest, images="real")
    assert {row.keys.get("real_recipe", "") for row in rest} == {""}
    assert [row.requests for row in rest] == [row.requests for row in whole if row.keys.get("images") != "real"]


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_can_be_asked_alone(section: str) -> None:
    assert {row.keys["section"] for row in suite(sections=[section]).rows()} <= {section}


def test_set_and_random_images_are_trained_on_alike() -> None:
    for row in of(suite(methods=["dm", "rded"]).rows(), section="labels", images="random"):
        keys = {key: row.keys[key] for key in ("section", "method", "ipc", "network", "labels", "recipe", "rate")}
        assert len(of(suite(methods=["dm", "rded"]).rows(), images="set", **keys)) == 1, keys


def test_fair_chooses_rates_without_the_held_out_and_the_test_images() -> None:
    searches = [row.requests for row in of(suite().rows(), section="rates")]
    assert searches and all(len(found) == 1 for found in searches)
    for request in (found[0] for found in searches):
        assert request.rule == "heldout" and len(request.rates) == 2  # the budget of this scale
        for train in (one for one in within(request) if one.stage == "train" and one.params.get("heldout")):
            assert all(one.part == "fit" for one in within(train) if one.stage == "data")


def test_what_is_scored_is_made_of_all_images_and_asked_like_in_other_suites() -> None:
    quick = suite("quick", methods=["dm"], budget=1, sections=["labels"])
    accuracy = suites.build("accuracy", {"methods": ["dm"], "ipc": [10], "seeds": 3, "scale": "quick"})
    scored = of(quick.rows(), images="set", labels="own")[0]
    asked = suites.build("accuracy", {**vars_of(accuracy), "recipe": scored.keys["recipe"], "full_recipe": ""}).rows()
    assert scored.requests == asked[0].requests


def vars_of(component: Any) -> dict[str, Any]:
    return dict(suites.spec(component).as_dict()["params"])


def test_random_images_are_new_for_every_seed_under_both_protocols() -> None:
    for protocol in ("fair", "faithful"):
        rows = of(suite(protocol=protocol, methods=["dm"]).rows(), section="labels", images="random")
        drawn = [
            {one.seed for one in within(request) if one.params.get("method") == "random" and one.data.part == "train"}
            for request in rows[0].requests
        ]
        assert drawn == [{0}, {1}], protocol


def test_faithful_searches_on_the_test_images_but_keeps_the_rate_of_soft_labels() -> None:
    rows = suite(protocol="faithful", methods=["dm", "rded"]).rows()
    kept = of(rows, section="labels", method="rded", images="set", labels="own")[0]
    assert {request.stage for request in kept.requests} == {"select"} and kept.keys["rate"] == "own"
    for row in of(rows, section="labels"):
        assert row.keys["selection"] == "oracle"
        if row is not kept and row.keys["images"] != "real":
            assert {(request.stage, request.rule) for request in row.requests} == {("best-rate", "oracle")}


def test_faithful_settings_are_those_that_the_original_states() -> None:
    paper = suite("paper", protocol="faithful")
    sre2l = paper.setting("sre2l", 10, "cifar10")
    made = recipes.build(sre2l.recipe)
    assert (made.epochs, made.batch, made.lr, made.weight_decay, made.schedule) == (
        400,
        256,
        0.001,
        0.01,
        "cosine-to-half",
    )
    assert (made.objective, sre2l.network, made.curve_points) == ("kl(temperature=30)", "resnet-18-bn", 20)
    rded = recipes.build(paper.setting("rded", 50, "cifar10").recipe)
    assert (rded.epochs, rded.batch, rded.objective) == (300, 100, "kl(temperature=20)")
    dc, dsa = (recipes.build(paper.setting(name, 10, "cifar10").recipe) for name in ("dc", "dsa"))
    assert (dc.augment, dsa.augment) == ("none", "dsa") and dc.epochs == dsa.epochs == 1000
    assert dc.decay_epochs == (500,) and dc.batch == 256 and not dc.reset_momentum and dc.curve_points == 100
    imagenet = recipes.build(paper.setting("sre2l", 10, "imagenet").recipe)
    assert (imagenet.batch, imagenet.augment, imagenet.epochs) == (1024, "rded-aug(min_scale=0.08)", 300)


def test_hard_labels_are_trained_on_without_mixing() -> None:
    for method in ("rded", "sre2l"):
        setting = suite("paper").setting(method, 10, "cifar10")
        hard, soft = recipes.build(setting.hard_recipe), recipes.build(setting.recipe)
        assert hard.objective == "cross-entropy" and hard.augment == f"{method}-aug(mixed=False)"
        assert (hard.epochs, hard.batch, hard.optimiser) == (soft.epochs, soft.batch, soft.optimiser)


@pytest.mark.parametrize(
    ("dataset", "method"), [("tiny_imagenet", "rded"), ("imagenet", "rded"), ("imagenet", "sre2l")]
)
def test_fair_trains_off_cifar_as_the_authors_do(dataset: str, method: str) -> None:
    asked = recipes.build(suite("paper").setting(method, 10, dataset).recipe)
    expected = {
        ("tiny_imagenet", "rded"): (100, "rded-aug"),
        ("imagenet", "rded"): (100, "rded-aug(factor=2)"),
        ("imagenet", "sre2l"): (1024, "rded-aug(min_scale=0.08)"),
    }
    assert (asked.batch, asked.augment) == expected[dataset, method]
    hard = recipes.build(suite("paper").setting(method, 10, dataset).hard_recipe)
    assert hard.objective == "cross-entropy" and "mixed=False" in hard.augment


def test_faithful_trains_on_real_images_as_on_the_methods_own() -> None:
    rows = suite("paper", protocol="faithful", methods=["dc", "dsa", "rded"], sections=["labels"]).rows()
    real = {(row.keys["network"], row.keys["recipe"]) for row in of(rows, images="real")}
    assert real == {
        ("home", "real:augment=none:batch=256:curve_points=20"),
        ("home", "real:augment=dsa:batch=256:curve_points=20"),
        ("home-bn", "real:augment=rded-aug(mixed=False):batch=256:curve_points=20"),
    }
    assert {row.keys["real_recipe"] for row in of(rows, method="dc")} == {"real:augment=none:batch=256:curve_points=20"}
    fair = suite("paper", methods=["dc", "dsa"], sections=["labels"]).rows()
    assert [row.keys["recipe"] for row in of(fair, images="real")] == ["real"]


@pytest.mark.parametrize(
    ("dataset", "network", "expected"),
    [
        ("cifar100", "home", ("sgd", 0.01, 5e-4, "steps", 200, (100,), 256)),
        ("tiny_imagenet", "home", ("sgd", 0.01, 5e-4, "steps", 100, (50,), 256)),
        ("tiny_imagenet", "resnet-18-bn", ("adamw", 0.01, 0.01, "cosine-to-half", 100, (100,), 256)),
        ("imagenet", "resnet-18-bn-imagenet", ("sgd", 0.1, 1e-4, "steps", 90, (30, 60), 256)),
    ],
)
def test_faithful_trains_on_real_images_by_the_originals_table(
    dataset: str, network: str, expected: tuple[object, ...]
) -> None:
    paper = suite("paper", protocol="faithful", dataset=[dataset], network=[network], methods=["dc"])
    (row,) = {row.keys["recipe"]: row for row in of(paper.rows(), section="labels", images="real")}.values()
    real = recipes.build(row.keys["recipe"])
    assert real.curve_points == real.epochs // 10
    found = (real.optimiser, real.lr, real.weight_decay, real.schedule, real.epochs, real.decay_epochs, real.batch)
    assert found == expected


def test_faithful_tests_taught_methods_twenty_times_and_whitens_neither_mtt_nor_datadam() -> None:
    paper = suite("paper", protocol="faithful", methods=["mtt", "datadam", "dm"], sections=["labels"])
    rded = paper.setting("rded", 10, "cifar10")
    assert [recipes.build(one).curve_points for one in (rded.recipe, rded.hard_recipe)] == [20, 20]
    made = {one.method for row in of(paper.rows(), images="set") for at in row.requests for one in within(at)
            if one.stage == "distill"}  # fmt: skip
    assert made == {"mtt:zca=False", "datadam:zca=False", "dm"}
    asked = suite("paper", protocol="faithful", methods=["mtt:zca=true"], sections=["labels"], ipc=[10])
    alike = [one for row in of(asked.rows(), images="real") for at in row.requests for one in within(at)
             if one.stage == "same-space"]  # fmt: skip
    assert {(one.of.stage, one.like.method) for one in alike} == {("data", "mtt:zca=true")}, "as somebody asks for it"


def test_a_budget_keeps_the_rates_nearest_to_the_recipes_own() -> None:
    for budget, rates in (
        (1, None),
        (2, (0.005, 0.01)),
        (3, (0.005, 0.01, 0.05)),
        (9, (0.001, 0.005, 0.01, 0.05, 0.1)),
    ):
        found = of(suite(budget=budget, methods=["dm"]).rows(), section="rates", images="set")
        assert (found[0].requests[0].rates if found else None) == rates


def test_the_chain_of_shares_changes_one_thing_at_a_time() -> None:
    rows = of(suite(methods=["rded"]).rows(), section="shares")
    changes = [(row.keys["images"], row.keys["labels"], row.keys["augmented"]) for row in rows]
    assert changes == [("random", "hard", False), ("set", "hard", False), ("set", "own", False), ("set", "own", True)]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rates": []}, "rates needs at least one value"),
        ({"rates": [0.1, -1.0]}, "rates must be different positive numbers"),
        ({"budget": 0}, "budget must be at least 1"),
        ({"sections": ["lables"]}, "did you mean 'labels'"),
        ({"teachers": []}, "teachers needs at least one value"),
    ],
)
def test_empty_and_impossible_questions_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        suite(**options)
