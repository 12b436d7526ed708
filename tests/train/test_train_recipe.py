from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy
from train_setups import make_model, train

from stillproof.core.components import augmentations, objectives, recipes
from stillproof.core.errors import BadInput
from stillproof.core.validate import validated
from stillproof.testing.toy import toy_images
from stillproof.train.epochs import make_optimiser
from stillproof.train.recipe import Recipe
from stillproof.train.recipe_for import recipe_for

NAMED = ["dc-bench", "dc-bench-dsa", "nas-search", "real", "fkd", "rded", "sre2l", "quick", "quick-real", "smoke"]
REFUSED = ["epochs=0", "batch=0", "lr=0", "lr=-1", "lr=nan", "curve_points=0"]
REFUSED += ["final_lr=-0.1", "final_lr=nan", "clip=-1", "clip=inf", "shuffle=perhaps"]


def built(name: str) -> Recipe:
    recipe = recipes.build(name)
    assert isinstance(recipe, Recipe)
    return recipe


@pytest.mark.parametrize(("name", "passes", "drop"), [("dc-bench", 301, 152), ("dc-bench-dsa", 1001, 502)])
def test_dc_bench_counts_its_epochs_inclusively_and_drops_once(name: str, passes: int, drop: int) -> None:
    recipe = built(name)
    rates = [recipe.lr_at(epoch) for epoch in range(recipe.epochs)]
    assert rates == [0.01] * drop + [0.001] * (passes - drop)
    assert (recipe.batch, recipe.optimiser, recipe.momentum, recipe.weight_decay) == (256, "sgd", 0.9, 5e-4)
    assert recipe.reset_momentum, "the original makes a new optimiser at the drop"
    assert recipe.augment == ("dsa" if name.endswith("dsa") else "none")


def test_several_drops_multiply() -> None:
    recipe = Recipe(epochs=6, lr=1.0, decay_epochs=(2, 4), decay=0.5)
    assert [recipe.lr_at(epoch) for epoch in range(6)] == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]


def test_a_cosine_falls_from_the_first_step_size_towards_none() -> None:
    recipe = Recipe(epochs=4, lr=2.0, schedule="cosine", decay_epochs=(1,))
    expected = [2.0, 1 + 0.5**0.5, 1.0, 1 - 0.5**0.5]
    assert [recipe.lr_at(epoch) for epoch in range(4)] == pytest.approx(expected)


@given(st.integers(1, 30), st.floats(1e-6, 10), st.floats(0, 1))
def test_a_cosine_is_that_of_torch(epochs: int, lr: float, share: float) -> None:
    recipe = Recipe(epochs=epochs, lr=lr, schedule="cosine", final_lr=share * lr)
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=epochs, eta_min=share * lr)
    for epoch in range(epochs):
        assert recipe.lr_at(epoch) == pytest.approx(scheduler.get_last_lr()[0], rel=1e-9)
        optimiser.step()
        scheduler.step()


def test_a_search_trains_as_dc_bench_did_but_for_the_order() -> None:
    recipe = built("nas-search")
    rates = [recipe.lr_at(epoch) for epoch in range(recipe.epochs)]
    assert len(rates) == 50 and rates[0] == 0.025 and rates[25] == pytest.approx(0.013)
    assert rates == sorted(rates, reverse=True) and 0.001 < rates[-1] < 0.00103
    assert (recipe.batch, recipe.optimiser, recipe.momentum, recipe.weight_decay) == (64, "sgd", 0.9, 3e-4)
    assert (recipe.clip, recipe.augment, recipe.curve_points, recipe.shuffle) == (5.0, "none", 1, True)
    assert built("nas-search:shuffle=false").shuffle is False


@pytest.mark.parametrize(
    ("epochs", "points", "measured"),
    [(301, 3, [101, 201, 301]), (4, 1, [4]), (4, 2, [2, 4]), (3, 3, [1, 2, 3]), (2, 5, [1, 2])],
)
def test_the_points_of_the_curve_are_even_and_one_is_at_the_end(epochs: int, points: int, measured: list[int]) -> None:
    recipe = Recipe(epochs=epochs, curve_points=points)
    assert [epoch + 1 for epoch in range(epochs) if recipe.is_measured(epoch)] == measured


@pytest.mark.parametrize("name", NAMED)
def test_a_named_recipe_comes_back_from_its_spec(name: str) -> None:
    recipe = built(name)
    params = recipes.spec(recipe).as_dict()["params"]
    again = validated(Recipe, params, "recipe")
    assert dataclasses.asdict(again) == dataclasses.asdict(recipe)
    assert all(0 < after < recipe.epochs for after in recipe.decay_epochs)


def test_a_recipe_takes_components_with_parameters() -> None:
    recipe = built("dc-bench-dsa:augment=dsa(strategy=color_crop_cutout_scale_rotate):objective=kl(temperature=20)")
    assert recipe.augment == "dsa(strategy=color_crop_cutout_scale_rotate)" and recipe.epochs == 1001
    assert augmentations.build(recipe.augment) == augmentations.build("dsa", {"strategy": recipe.augment[13:-1]})
    assert objectives.build(recipe.objective) == objectives.build("kl", {"temperature": 20.0})


@pytest.mark.parametrize("temperature", ["0", "-1", "nan", "warm"])
def test_a_temperature_that_softens_nothing_is_refused(temperature: str) -> None:
    with pytest.raises(BadInput, match="objective 'kl'"):
        objectives.build(f"kl(temperature={temperature})")


@pytest.mark.parametrize("setting", REFUSED)
def test_what_cannot_be_trained_is_refused(setting: str) -> None:
    with pytest.raises(BadInput, match="recipe 'smoke'"):
        recipes.build(f"smoke:{setting}")


def test_recorded_labels_are_trained_on_as_their_authors_code_does() -> None:
    recipe = built("fkd")
    assert (recipe.decay_vectors, recipe.parts) == (False, 2)
    body = make_model("convnet-1-bn:width=4").body
    decayed, exempt = make_optimiser(body, recipe).param_groups
    assert (decayed["weight_decay"], exempt["weight_decay"]) == (0.01, 0.0)
    assert {weight.ndim for weight in exempt["params"]} == {1} and min(w.ndim for w in decayed["params"]) > 1
    assert len(decayed["params"]) + len(exempt["params"]) == len(list(body.parameters()))


def test_parts_of_a_batch_make_one_step_with_the_mean_of_their_gradients() -> None:
    recipe = Recipe(epochs=2, batch=12, lr=0.1, shuffle=False)
    whole, halves = (train(dataclasses.replace(recipe, parts=parts)) for parts in (1, 2))
    for name, value in whole.weights.items():
        torch.testing.assert_close(halves.weights[name], value, rtol=1e-4, atol=1e-6)
    assert halves.curve.losses == pytest.approx(whole.curve.losses, rel=1e-5)


def test_batch_norms_see_parts_alone_and_a_short_last_batch_counts_less() -> None:
    recipe = Recipe(epochs=1, batch=24, lr=0.1, momentum=0.0, weight_decay=0.0, shuffle=False, parts=2)
    network = "convnet-1-bn:width=4"
    found, expected = train(recipe, network=network).weights, make_model(network)
    images, labels = expected.front(toy_images().read(slice(None))), toy_images().labels
    assert len(images) % 24 and len(images) > 24
    expected.train()
    for start in range(0, len(images), 24):
        expected.body.zero_grad()
        for first in range(start, min(start + 24, len(images)), 12):
            part = slice(first, min(first + 12, start + 24))
            (cross_entropy(expected.body(images[part]), labels[part]) / 2).backward()  # type: ignore[no-untyped-call]
        with torch.no_grad():
            for weight in expected.body.parameters():
                assert weight.grad is not None
                weight.sub_(0.1 * weight.grad)
    for name, value in expected.body.state_dict().items():
        torch.testing.assert_close(found[name], value, rtol=1e-4, atol=1e-6)


@given(st.integers(1, 400), st.floats(1e-6, 10))
def test_a_cosine_to_half_is_that_of_rdeds_code(epochs: int, lr: float) -> None:
    recipe = Recipe(epochs=epochs, lr=lr, schedule="cosine-to-half")
    rates = [recipe.lr_at(epoch) for epoch in range(epochs)]
    assert rates == pytest.approx([lr * 0.5 * (1 + math.cos(math.pi * t / epochs / 2)) for t in range(epochs)])
    assert min(rates) > 0.5 * lr


def test_taught_sets_are_trained_on_as_their_authors_do() -> None:
    rded, sre2l = built("rded"), built("sre2l")
    assert (rded.epochs, rded.lr, rded.weight_decay, rded.decay_vectors) == (300, 0.001, 0.01, False)
    assert (rded.optimiser, rded.schedule, rded.augment, rded.objective) == (
        *("adamw", "cosine-to-half"),
        *("rded-aug", "kl(temperature=20)"),
    )
    assert (sre2l.epochs, sre2l.batch, sre2l.lr, sre2l.weight_decay, sre2l.decay_vectors) == (
        400,
        128,
        0.001,
        0.01,
        True,
    )
    assert (sre2l.optimiser, sre2l.schedule, sre2l.augment, sre2l.objective) == (
        *("adamw", "cosine"),
        *("sre2l-aug", "kl(temperature=30)"),
    )
    for name in ("rded", "sre2l"):
        assert augmentations.build(recipe_for(name, "svhn").augment) == augmentations.build(f"{name}-aug(flip=false)")
        assert recipe_for(name, "cifar10") == built(name)


def test_a_warm_up_rises_evenly_and_leaves_the_fall_to_the_rest() -> None:
    warm = Recipe(epochs=15, lr=0.2, schedule="cosine", warmup=5)
    assert [warm.lr_at(epoch) for epoch in (0, 1, 5)] == pytest.approx([0.002, 0.0416, 0.2])
    short = Recipe(epochs=10, lr=0.2, schedule="cosine")
    assert [warm.lr_at(5 + epoch) for epoch in range(10)] == [short.lr_at(epoch) for epoch in range(10)]
    with pytest.raises(ValueError, match="warmup must be shorter than the 5 epochs"):
        Recipe(epochs=5, warmup=5)
