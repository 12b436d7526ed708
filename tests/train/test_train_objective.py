"""Objectives of plug-ins: with an attack, with state, with several losses for a batch, with a fit of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from train_setups import Fitted, Killed, equal_weights, make_model, train

from commands import TINY, Commands
from stillproof.core.components import REGISTRIES, objectives, recipes
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, StillproofError, UnknownName
from stillproof.core.plugins import load_plugin, read_plugin
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Distilled, Hard, Space
from stillproof.nets import compiled
from stillproof.run.plan import Planner
from stillproof.run.resolve import Resolver
from stillproof.session import Session
from stillproof.suites.requests import real_images, trained
from stillproof.testing.check import check_module
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import toy_images
from stillproof.train.data import from_distilled, from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.transforms.zca import ZCA

FGSM = Path(__file__).with_name("fgsm_objective.py")
OWN = Path(__file__).with_name("own_objectives.py")
SHORT = Recipe(epochs=4, batch=10, lr=0.05, decay_epochs=(2,), curve_points=4)
STATEFUL = ["carried", "fgsm-training", "twice(move=0.1)", "reptile"]


@pytest.fixture(autouse=True)
def plugins() -> Iterator[None]:
    loaded = [read_plugin(FGSM), read_plugin(OWN)]
    for plugin in loaded:
        load_plugin(plugin)
    yield
    for plugin in loaded:
        for registry in REGISTRIES.values():
            registry.remove(plugin.module)
        del sys.modules[plugin.module]


def same(one: Fitted, other: Fitted) -> bool:
    predictions = torch.equal(torch.stack(one.curve.predictions), torch.stack(other.curve.predictions))
    curves = (one.curve.losses, one.curve.epochs) == (other.curve.losses, other.curve.epochs)
    return equal_weights(one.weights, other.weights) and predictions and curves


@pytest.mark.parametrize("objective", STATEFUL)
def test_it_learns_from_the_seed_alone(objective: str) -> None:
    recipe = Recipe(epochs=20, batch=12, lr=0.1, momentum=0.5, objective=objective)
    with global_generators_untouched():
        fitted = train(recipe, test=toy_images())
    assert fitted.curve.test_accuracy[-1] > 0.9
    assert fitted.curve.losses[-1] < fitted.curve.losses[0] / 2
    assert same(fitted, train(recipe, test=toy_images()))
    assert not equal_weights(fitted.weights, train(replace(recipe, objective="cross-entropy")).weights)


@pytest.mark.parametrize("network", ["mlp:width=16", "convnet-2-bn:width=4"])
@pytest.mark.parametrize("objective", STATEFUL)
@pytest.mark.parametrize("kill_in", [1, 3])
def test_a_killed_training_goes_on_with_what_its_objective_kept(
    tmp_path: Path, network: str, objective: str, kill_in: int
) -> None:
    def report(share: float) -> None:
        if share >= kill_in / SHORT.epochs:
            raise Killed

    recipe = replace(SHORT, objective=objective)
    with pytest.raises(Killed):
        train(recipe, network=network, scratch=tmp_path, report=report)
    resumed = train(recipe, network=network, scratch=tmp_path)
    assert resumed.ctx.notes["resumed_at"] == kill_in
    assert same(resumed, train(recipe, network=network))


def test_two_losses_for_a_batch_are_two_steps_on_it() -> None:
    recipe = Recipe(epochs=1, batch=36, lr=0.1, shuffle=False)
    twice = train(replace(recipe, objective="twice"))
    plain = train(replace(recipe, epochs=2))
    assert equal_weights(twice.weights, plain.weights)
    assert twice.curve.losses == [pytest.approx(sum(plain.curve.losses) / 2)]
    assert not equal_weights(twice.weights, train(replace(recipe, objective="twice(move=0.1)")).weights)


def test_an_objective_that_owns_the_fit_is_measured_where_the_recipe_says() -> None:
    curve = train(replace(SHORT, curve_points=2, objective="reptile")).curve
    assert (len(curve.losses), curve.epochs) == (4, [2, 4])


def test_objectives_are_built_on_others() -> None:
    recipe = Recipe(epochs=3, batch=12, lr=0.3, objective="fgsm-training(eps=0.2,base=kl(temperature=2))")
    soft = train(recipe)
    assert not equal_weights(soft.weights, train(replace(recipe, objective="fgsm-training(eps=0.2)")).weights)
    double = replace(recipe, objective="fgsm-training(base=fgsm-training)")
    assert same(train(double), train(double))


def test_what_an_objective_is_built_on_is_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe(epochs=2, batch=36, lr=0.1, objective="fgsm-training(eps=0.01)")
    plain = train(recipe, network="convnet-1:width=4")
    monkeypatch.setattr(compiled, "WORTH_COMPILING", 0)
    # Traced whole; the machine code, which takes long, is made in tests/train/test_train_compiled.py.
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager"))
    fast = train(recipe, network="convnet-1:width=4")
    assert fast.ctx.notes["compiled"] is True
    for name, weights in plain.weights.items():
        torch.testing.assert_close(fast.weights[name], weights, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("base", "sentence"),
    [
        ("twice", "objective 'twice' has several losses for a batch: no other can be built on it"),
        ("reptile", "objective 'reptile' trains in a way of its own: no other can be built on it"),
        ("kll", "unknown objective 'kll'; did you mean 'kl'"),
        ("kl(temperature=0)", "objective 'kl': temperature must be positive"),
    ],
)
def test_a_base_that_cannot_be_one_is_refused(base: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        train(Recipe(epochs=1, objective=f"fgsm-training(base={base})"))


@pytest.mark.parametrize("whitened", [False, True], ids=["normalised", "zca"])
def test_the_step_is_made_in_pixels_whatever_space_the_set_lives_in(whitened: bool) -> None:
    model, toy = make_model(), toy_images()
    if whitened:
        model = TrainedModel(ZCA.fit(torch.rand(1, 400, 1, 8, 8, generator=Seeds(0).torch())), model.body)
    pixels = 1.4 * toy.read(slice(None)) - 0.2  # distilled images are not clamped
    space = Space("zca", ref="x") if whitened else Space.normalised(toy.info)
    card = Card("own", 1, {}, "toy", "toy/train", 1, 0, "none", "none", 0)
    data = from_distilled(Distilled(model.front(pixels), Hard(toy.labels), 3, space, card), model.front, "cpu")
    seen = []
    forward = model.body.forward

    def watched(images: torch.Tensor) -> torch.Tensor:
        seen.append(model.front.inverse(images).detach())  # type: ignore[operator]
        return forward(images)

    model.body.forward = watched  # type: ignore[method-assign]
    recipe = Recipe(epochs=1, batch=36, shuffle=False, objective="fgsm-training(eps=0.1)")
    fit(model, data, recipe, Context(Seeds(0)))
    before, after = seen
    torch.testing.assert_close(before, pixels, rtol=1e-3, atol=1e-3)
    moved = (after - before).abs()
    assert moved.max() < 0.1 + 1e-3 and (moved > 0.1 - 1e-3).float().mean() > 0.5
    assert (after.amin() > pixels.amin() - 1e-3) and (after.amax() < pixels.amax() + 1e-3), "none is taken further out"


def test_images_that_an_augmentation_mixed_are_attacked_with_their_shares() -> None:
    recipe = Recipe(epochs=60, batch=12, lr=0.1, objective="fgsm-training", augment="mixup")
    assert train(recipe, network="convnet-2-bn:width=4", test=toy_images()).curve.test_accuracy[-1] > 0.8


def test_an_objective_without_losses_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objectives.get("twice"), "begin", lambda self, training: lambda batch: [])
    with pytest.raises(StillproofError, match="gave no loss for any batch"):
        train(Recipe(epochs=1, objective="twice"))


def test_unknown_objectives_fail_while_planning(tmp_path: Path) -> None:
    names = Resolver(tmp_path)
    with pytest.raises(UnknownName, match="unknown objective 'hinge'"):
        names.recipe("smoke:objective=hinge")
    with pytest.raises(BadInput, match="objective 'kl': temperature must be positive, not 0"):
        names.recipe("smoke:objective=kl(temperature=0)")
    with pytest.raises(UnknownName, match="unknown parameter 'temp' of objective 'kl'"):
        names.recipe("smoke:objective=kl(temp=0)")
    with pytest.raises(BadInput, match="eps must be positive, not -1"):
        names.recipe("smoke:objective=fgsm-training(base=fgsm-training(eps=-1))")


def test_passes_through_the_network_are_part_of_the_estimate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planner = Planner(tmp_path)
    plain, double, fourfold = (
        planner.plan(trained(real_images("digits"), "convnet-1:width=4", f"smoke:objective={objective}", 0)).flops
        for objective in ("mse", "fgsm-training", "fgsm-training(base=fgsm-training)")
    )
    assert fourfold - plain == pytest.approx(3 * (double - plain)) and double > 1.5 * plain
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    notes = []
    for objective in ("cross-entropy", "fgsm-training"):
        recipe = Recipe(epochs=1, batch=36, lr=0.1, objective=objective)
        model, ctx, data = make_model("convnet-1:width=4"), Context(Seeds(0)), toy_images()
        monkeypatch.setattr(compiled, "WORTH_COMPILING", 3 * 1.5 * len(data))
        fit(model, from_images(data, model.front, "cpu"), recipe, ctx, flops=1.0)
        notes.append(ctx.notes["compiled"])
    assert notes == [False, True], "twice the work repays compiling"


def test_a_spec_holds_the_sources_of_all_objectives_that_are_used(tmp_path: Path) -> None:
    _, spec = Resolver(tmp_path).recipe("smoke:objective=fgsm-training(base=kl(temperature=20))")
    assert "augment" not in spec and spec["objective"]["name"] == "fgsm-training" and spec["objective"]["own"]
    assert spec["objective"]["params"]["base"] == {"name": "kl", "version": 1, "params": {"temperature": 20.0}}
    _, same = Resolver(tmp_path).recipe("smoke:objective=fgsm-training(base=kl(temperature=20.0))")
    assert same == spec, "however it is written"


def test_a_recipe_tells_which_of_its_parameters_are_references() -> None:
    assert recipes.build("smoke").references == {"augment": "augmentations", "objective": "objectives"}
    assert objectives.build("fgsm-training").references == {"base": "objectives"}
    for registry in (recipes, objectives):
        for name in registry.entries():
            for key, kind in registry.get(name).references.items():
                assert key in registry.entry(name).params and kind in REGISTRIES


@pytest.mark.parametrize("path", [FGSM, OWN], ids=["fgsm", "own"])
def test_they_keep_the_contract(path: Path) -> None:
    results = check_module(read_plugin(path).module)
    assert results and [result for result in results if not result["ok"]] == []


@pytest.mark.slow
def test_a_plug_in_trains_in_the_pool_as_in_one_process(tmp_path: Path, stillproof: Commands) -> None:
    recipe = ["--recipe", "smoke:objective=fgsm-training(eps=0.1)", "--seeds", "2", "--plugin", str(FGSM), "--json"]
    scores = []
    for workers in ("1", "2"):
        folder = tmp_path / workers
        folder.mkdir()
        scores.append(stillproof("train", "digits", *recipe, *TINY, "--workers", workers, cwd=folder).json())
    assert scores[0]["models"] == scores[1]["models"], "the same bytes"
    assert scores[0]["per_seed"] == scores[1]["per_seed"]
    plain = stillproof("train", "digits", "--recipe", "smoke", "--seeds", "2", *TINY, "--json", cwd=folder).json()
    assert plain["models"] != scores[1]["models"]
    done = stillproof("train", "digits", *recipe[:2], *TINY, cwd=folder)
    assert done.code == 2 and "unknown objective 'fgsm-training'" in done.sentence()


def test_a_session_takes_nested_references(tmp_path: Path) -> None:
    with (session := Session(str(tmp_path / "s.db"))).store:
        recipe = "smoke:augment=dsa(strategy=color_crop):objective=fgsm-training(base=kl(temperature=2))"
        score = session.train(real_images("digits"), network="convnet-1:width=4", recipe=recipe, seeds=1)
    assert score.recipe == recipe and len(score.models) == 1
