"""Meta-AT as a whole: what it learns, what it keeps, and where it goes on."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from train_setups import VIT, Killed, make_model, state

from stillproof.core.context import Context
from stillproof.core.errors import BadInput, Diverged
from stillproof.core.seeds import Seeds
from stillproof.testing.toy import toy_attacked, toy_images
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.meta import meta_step
from stillproof.train.meta.adapting import right_of, said_of
from stillproof.train.meta.attacked_source import AttackedSource
from stillproof.train.meta.meta_step import PairNetwork
from stillproof.train.meta.meta_training import CURVE, DIVERGED
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe

SMALL = "ways=2,shots=3,queries=2,inner_lr=0.1,mixup=0,smoothing=0,warmup=0"
RECIPE = Recipe(epochs=2, lr=0.3, momentum=0.0, weight_decay=0.0, objective=f"meta-at({SMALL},episodes=8)")


def meta_train(
    recipe: Recipe = RECIPE, *, judged: bool = True, scratch: Path | None = None, kill_at: float = 2.0
) -> tuple[TrainedModel, Context]:
    model = make_model()

    def report(share: float) -> None:
        if share >= kill_at:
            raise Killed

    ctx = Context(Seeds(0), scratch=scratch, checkpoint_seconds=0.0, report=report)
    few, others = toy_attacked(model.front, slice(24)), toy_attacked(model.front, slice(24, None))
    source = AttackedSource(few, few, others) if judged else AttackedSource(few)
    fit(model, source.data(), recipe, ctx)
    return model, ctx


def distance(one: TrainedModel, other: TrainedModel) -> float:
    gaps = [(value - state(other)[name]).flatten() for name, value in state(one).items()]
    return float(torch.cat(gaps).norm())


def with_objective(text: str, **changes: object) -> Recipe:
    return dataclasses.replace(RECIPE, objective=f"meta-at({SMALL},{text})", **changes)  # type: ignore[arg-type]


def test_it_learns_to_withstand() -> None:
    recipe = dataclasses.replace(with_objective("episodes=40"), epochs=2)
    model, ctx = meta_train(recipe)
    data = toy_attacked(model.front, slice(24, None))
    pairs = data.pairs([(number, torch.arange(12)) for number in range(3)])
    network = PairNetwork(make_model().body, 1.0, 0.0, "fixed")
    before = right_of(network, network.weights(), pairs.attacked, pairs.labels)
    after = right_of(network, PairNetwork(model.body, 1.0, 0.0, "fixed").weights(), pairs.attacked, pairs.labels)
    assert after > before + 6 and ctx.notes[DIVERGED] == 0
    assert ctx.notes[CURVE][-1]["loss"] < ctx.notes[CURVE][0]["loss"] and len(ctx.notes[CURVE]) == 2


def test_the_best_epoch_by_validation_is_kept() -> None:
    _, ctx = meta_train()
    assert all(0 <= line["validation"] <= 1 for line in ctx.notes[CURVE])
    ruined = dataclasses.replace(RECIPE, epochs=3, lr=1.0, decay_epochs=(1,), decay=30.0, clip=1.0)
    model, ctx = meta_train(ruined)
    once, _ = meta_train(dataclasses.replace(ruined, epochs=1))
    liked = [line["validation"] for line in ctx.notes[CURVE]]
    assert max(liked) == liked[0], "steps of 30 ruin it"
    assert distance(model, once) == 0


def test_without_validation_the_last_epoch_counts() -> None:
    model, ctx = meta_train(judged=False)
    assert [line["validation"] for line in ctx.notes[CURVE]] == [None, None]
    assert distance(model, meta_train(dataclasses.replace(RECIPE, epochs=1), judged=False)[0]) > 0


@pytest.mark.parametrize("text", ["episodes=8", "episodes=8,outer=epoch", "episodes=8,inner=each,order=first"])
@pytest.mark.parametrize("kill_at", [0.3, 0.6])
def test_a_killed_training_goes_on_to_the_same_weights(tmp_path: Path, text: str, kill_at: float) -> None:
    recipe = with_objective(text, momentum=0.9)
    whole, ctx = meta_train(recipe)
    with pytest.raises(Killed):
        meta_train(recipe, scratch=tmp_path, kill_at=kill_at)
    resumed, again = meta_train(recipe, scratch=tmp_path)
    assert again.notes["resumed_at"] > 0 and again.notes[CURVE] == ctx.notes[CURVE]
    assert distance(whole, resumed) == 0


def test_as_printed_the_weights_move_once_in_an_epoch() -> None:
    recipe = with_objective("episodes=8,outer=epoch", lr=0.01, clip=1.0)
    model, _ = meta_train(recipe, judged=False)
    assert 0 < distance(model, make_model()) <= 0.01 * 2 * 1.0001
    often, _ = meta_train(with_objective("episodes=8", lr=0.01, clip=1.0), judged=False)
    assert distance(often, make_model()) > 2 * distance(model, make_model())


def test_one_inner_step_for_each_attack_is_another_algorithm() -> None:
    joint, each = (meta_train(with_objective(f"episodes=8,inner={inner}"))[0] for inner in ("joint", "each"))
    assert distance(joint, each) > 0


def test_an_epoch_ends_when_the_query_gets_no_better() -> None:
    _, ctx = meta_train(with_objective("episodes=30,patience=3"))
    assert all(line["episodes"] < 30 for line in ctx.notes[CURVE])
    _, ctx = meta_train(with_objective("episodes=10,patience=0"))
    assert [line["episodes"] for line in ctx.notes[CURVE]] == [10, 10]


def test_the_outer_step_rises_at_first() -> None:
    fixed, rising = (
        meta_train(dataclasses.replace(RECIPE, objective=f"meta-at({SMALL[:-9]},episodes=4,warmup={warmup})"))[0]
        for warmup in (0, 0.9)
    )
    assert distance(rising, make_model()) < distance(fixed, make_model())


def test_an_episode_that_diverges_is_counted_and_changes_nothing() -> None:
    wild = f"meta-at({SMALL.replace('inner_lr=0.1', 'inner_lr=1e30')},episodes=2)"
    with pytest.raises(Diverged, match="no episode of epoch 1 has a finite gradient"):
        meta_train(dataclasses.replace(RECIPE, objective=wild))


def test_one_that_diverges_leaves_norms_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adapted norms remember what they see: also of a support set that came to nothing."""
    plain, calls = meta_step.through_step, []

    def sometimes(*args: Any, **options: Any) -> Any:
        found = plain(*args, **options)
        calls.append(1)
        return ({name: one * float("nan") for name, one in found[0].items()}, *found[1:]) if len(calls) == 3 else found

    monkeypatch.setattr(meta_step, "through_step", sometimes)
    small = SMALL.replace("inner_lr=0.1", "inner_lr=0.01")
    recipe = dataclasses.replace(RECIPE, lr=0.01, objective=f"meta-at({small},episodes=4,batch_norm=adapted)")
    model = make_model("convnet-1-bn:width=4")
    few = toy_attacked(model.front, slice(24))
    memories: list[dict[str, Tensor]] = []
    recall = PairNetwork.recall

    def watching(self: PairNetwork, memory: dict[str, Tensor]) -> None:
        recall(self, memory)
        memories.append({name: value.clone() for name, value in self.body.named_buffers()})
        assert all(torch.equal(memory[name], value) for name, value in self.body.named_buffers())

    monkeypatch.setattr(PairNetwork, "recall", watching)
    ctx = Context(Seeds(0))
    fit(model, AttackedSource(few).data(), recipe, ctx)
    assert len(memories) == 1 and ctx.notes[DIVERGED] == 1
    assert all(bool(value.isfinite().all()) for value in state(model).values())


def test_dropout_rests_while_answers_are_counted() -> None:
    model = make_model(VIT)
    network = PairNetwork(model.body, 1.0, 0.0, "fixed")
    episodic = PairNetwork(make_model("convnet-1-bn:width=4").body, 1.0, 0.0, "episode")
    with torch.no_grad():
        images = model.front(toy_images().read(slice(None)))
    for one in (network, episodic):
        body = one.body
        body.add_module("dropped", torch.nn.Dropout(0.5))
        seen: list[bool] = []
        dropped = body.get_submodule("dropped")
        dropped.register_forward_hook(lambda module, *_, seen=seen: seen.append(module.training))
        body.register_forward_hook(lambda _, __, said, dropped=dropped: dropped(said))
        said_of(one, one.weights(), images)
        assert seen and not any(seen)
    norms = [m for m in episodic.body.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    assert norms and all(m.training for m in norms)
    model.body.train()
    assert torch.equal(said_of(network, network.weights(), images), said_of(network, network.weights(), images))


def test_plain_images_are_refused() -> None:
    model = make_model()
    with pytest.raises(BadInput, match="meta-at learns from attacked sets"):
        fit(model, from_images(toy_images(), model.front, "cpu"), RECIPE, Context(Seeds(0)))


def test_attacked_sets_are_refused_by_other_recipes() -> None:
    model = make_model()
    data = AttackedSource(toy_attacked(model.front)).data()
    with pytest.raises(BadInput, match="in episodes: choose a recipe such as meta-at"):
        fit(model, data, Recipe(epochs=1), Context(Seeds(0)))


def test_dropout_of_a_network_that_is_judged_is_drawn_by_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Norms that adapt put dropout to work in the step before an epoch is judged."""

    def with_dropout() -> TrainedModel:
        model = plain("convnet-1-bn:width=4")
        model.body.register_forward_pre_hook(lambda body, args: (functional.dropout(args[0], 0.5, body.training),))
        return model

    plain = make_model
    monkeypatch.setattr(f"{__name__}.make_model", with_dropout)
    curves = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        _, ctx = meta_train(with_objective("episodes=2,batch_norm=adapted", epochs=6))
        curves.append([line["validation"] for line in ctx.notes[CURVE]])
    assert curves[0] == curves[1]
