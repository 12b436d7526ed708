from __future__ import annotations

import dataclasses
import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.components import augmentations, networks, recipes
from stillproof.core.dsa_strategy import WITH_FLIP, WITHOUT_FLIP
from stillproof.core.spec import ComponentSpec
from stillproof.core.types import Card, Distilled, Hard, Space
from stillproof.sets.own_recipe import own_recipe, recipe_on, recipe_reference
from stillproof.sets.usual_recipes import DEFAULT_RECIPE, LEARNED_LABELS, dc_recipe, dsa_recipe
from stillproof.train.recipe_for import recipe_for

changes = st.fixed_dictionaries(
    {},
    optional={
        "epochs": st.integers(10, 10**6),  # longer than the longest warm-up, that of sre2l-tiny
        "lr": st.floats(1e-12, 1e6),
        "decay_epochs": st.lists(st.integers(1, 999), max_size=3).map(tuple),
        "shuffle": st.booleans(),
        "augment": st.sampled_from(["none", "dsa", "dsa(strategy=color_crop)", "rand-augment:num_ops=2"]),
        "objective": st.sampled_from(["mse", "kl(temperature=20)", "fgsm(eps=0.1,base=kl(temperature=2.5))"]),
    },
)


@given(st.sampled_from(sorted(recipes.entries())), changes)
def test_a_sets_own_recipe_comes_back_unchanged(name: str, changed: dict[str, object]) -> None:
    recipe = recipes.build(name, changed)
    spec = recipes.spec(recipe)
    stored = ComponentSpec(**json.loads(json.dumps(spec.as_dict())))
    for own in (spec, stored):
        again = recipes.build(recipe_reference(own))
        assert type(again) is type(recipe) and dataclasses.asdict(again) == dataclasses.asdict(recipe)


@pytest.mark.parametrize("dataset", ["mnist", "cifar10"])
@pytest.mark.parametrize("strategy", [WITH_FLIP, WITHOUT_FLIP])
def test_a_recipe_that_is_another_on_digits_comes_back_unchanged(strategy: str, dataset: str) -> None:
    own = recipes.spec(recipes.build(dsa_recipe(strategy)))
    again = recipe_for(recipe_reference(own, dataset), dataset)
    assert augmentations.build(again.augment) == augmentations.build(f"dsa(strategy={strategy})")


def test_only_what_is_changed_is_written() -> None:
    assert recipe_reference(None) == DEFAULT_RECIPE
    for reference in (LEARNED_LABELS, "fkd", "fkd:epochs=3:objective=kl(temperature=4)", "quick:decay_epochs=1,2"):
        assert set(recipe_reference(recipes.spec(recipes.build(reference))).split(":")) == set(reference.split(":"))


@pytest.mark.parametrize(
    ("loss", "temperature", "reference"),
    [
        ("cross-entropy", 1.0, "dc-bench:lr=0.5"),
        ("mse", 1.0, "dc-bench:lr=0.5:objective=mse"),
        ("kl", 20.0, "dc-bench:lr=0.5:objective=kl(temperature=20.0)"),
    ],
)
def test_cards_from_before_objectives_are_still_read(loss: str, temperature: float, reference: str) -> None:
    params = recipes.spec(recipes.build("dc-bench:lr=0.5")).as_dict()["params"]
    del params["objective"]
    params |= {"loss": loss, "temperature": temperature}
    old = {"kind": "recipe", "name": "dc-bench", "version": 1, "params": params, "source": "4be60b411ad10402"}
    assert recipe_reference(own_recipe(old)) == reference


def own_set(method: str, dataset: str, recipe: str) -> Distilled:
    card = Card(method, 1, {}, dataset, "unknown", 1, 0, "none", "", 0)
    spec = recipes.spec(recipes.build(recipe)) if recipe else None
    return Distilled(torch.zeros(1, 1, 8, 8), Hard(torch.zeros(1)), 10, Space("pixels"), card, recipe=spec)


NORMED = "dc-bench-dsa:augment=dc-aug(strategy=crop_noise)"


@pytest.mark.parametrize("method", ["dc", "DC"])
@pytest.mark.parametrize("made_with_batch_norm", [False, True])
@pytest.mark.parametrize(
    ("network", "expected"),
    [
        ("convnet-3", {"mnist": "dc-bench-dsa:augment=dc-aug", "cifar10": "dc-bench"}),
        ("convnet-3-bn", {"mnist": NORMED, "cifar10": NORMED}),
        ("convnet-3-bn:activation=swish", {"mnist": "dc-bench-dsa:augment=dc-aug", "cifar10": "dc-bench"}),
        ("resnet-18-bn", {"mnist": "dc-bench-dsa:augment=dc-aug", "cifar10": "dc-bench"}),
    ],
)
def test_dc_is_trained_on_as_the_network_that_is_trained_asks_for(
    method: str, made_with_batch_norm: bool, network: str, expected: dict[str, str]
) -> None:
    for dataset, recipe in expected.items():
        card = own_set(method, dataset, dc_recipe(dataset, batch_norm=made_with_batch_norm))
        assert recipe_on(card, networks.build(network)) == recipe


def test_other_sets_and_other_recipes_do_not_ask_for_the_network() -> None:
    for method, recipe in (("dm", "dc-bench"), ("dsa", "dc-bench-dsa:augment=dsa"), ("dc", "quick:lr=0.5"), ("dm", "")):
        assert recipe_on(own_set(method, "mnist", recipe), networks.build("convnet-3-bn")) == (recipe or DEFAULT_RECIPE)
