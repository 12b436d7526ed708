"""Meta-AT as a whole: what it learns, what it keeps, and where it goes on."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from train_setups import VIT, make_model

from stillproof.core.context import Context
from stillproof.core.errors import BadInput, Diverged
from stillproof.core.seeds import Seeds
from stillproof.nets.body import Body
from stillproof.testing.toy import toy_attacked, toy_images
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.meta import meta_step
from stillproof.train.meta.adapting import Shots, right_of, said_of
from stillproof.train.meta.attacked_source import AttackedSource
from stillproof.train.meta.few_shots import Adaptation, Found, Printed
from stillproof.train.meta.meta_step import PairNetwork
from stillproof.train.meta.meta_training import CURVE, DIVERGED
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe

SMALL = "ways=2,shots=3,queries=2,inner_lr=0.1,mixup=0,smoothing=0,warmup=0"
RECIPE = Recipe(epochs=2, lr=0.3, momentum=0.0, weight_decay=0.0, objective=f"meta-at({SMALL},episodes=8)")


PRINTED = Printed(ways=2, inner="joint", outer_lr=0.3, clip=0.0, order="second")


class Killed(Exception):
    """Stands for the end of a process."""


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


def state(model: TrainedModel) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in model.body.state_dict().items()}


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


def adaptation(model: TrainedModel, **options: object) -> Adaptation:
    few, others = toy_attacked(model.front, slice(24)), toy_attacked(model.front, slice(24, None))
    clean = toy_images(1)
    with torch.no_grad():
        seen = model.front(clean.read(slice(None)))
    norms = options.pop("norms", "fixed")
    network = PairNetwork(model.body, 0.0, 0.0, norms)  # type: ignore[arg-type]
    values = {"size": Shots(3, 4), "lr": 0.3, **options}
    return Adaptation(network, few, others, seen, clean.labels, **values)  # type: ignore[arg-type]


def test_a_fair_episode_adapts_and_leaves_the_network_as_it_was() -> None:
    model, found = make_model(), Found()
    before = state(model)
    for number in range(3):
        adaptation(model).fair_episode(15, Seeds(number), found)
    assert all(torch.equal(before[name], value) for name, value in state(model).items())
    assert [len(one) for one in found.right] == [16] * 3 and found.asked == [12] * 3
    assert sum(one[-1] for one in found.right) > sum(one[0] for one in found.right) + 6, "it really adapts"
    assert any(not torch.equal(before[name], value) for name, value in found.weights.items())
    assert found.clean_before >= 0 and len(found.clean_after) == 3


def test_no_steps_change_nothing() -> None:
    found = Found()
    adaptation(make_model()).fair_episode(0, Seeds(0), found)
    assert len(found.right[0]) == 1 and found.clean_after == [found.clean_before]


def test_steps_that_blow_up_end_an_episode_and_are_counted() -> None:
    found = Found()
    adaptation(make_model(), lr=1e38).fair_episode(4, Seeds(0), found)
    assert found.diverged == 1 and len(found.right[0]) == 5
    assert all(bool(value.isfinite().all()) for value in found.weights.values())


def test_weights_that_are_numbers_but_say_none_end_an_episode_too() -> None:
    """All answers would be class 0, as argmax has it, and a tenth of the images right."""
    found = Found()
    adaptation(make_model("mlp:width=16"), lr=1e25).fair_episode(4, Seeds(0), found)
    assert found.diverged == 1 and found.right[0] == [found.right[0][0]] * 5
    assert found.clean_after == [found.clean_before]


def test_what_is_no_number_is_no_class() -> None:
    model = make_model()
    network = PairNetwork(model.body, 1.0, 0.0, "fixed")
    wild = {name: torch.full_like(value, float("nan")) for name, value in network.weights().items()}
    images = torch.zeros(6, 1, 8, 8)
    assert said_of(network, wild, images).tolist() == [-1] * 6
    assert right_of(network, wild, images, torch.zeros(6, dtype=torch.int64)) == 0


def test_norms_that_adapt_are_put_back_after_an_episode() -> None:
    model = make_model("convnet-1-bn:width=4")
    before, found = state(model), Found()
    adaptation(model, norms="adapted").fair_episode(2, Seeds(0), found)
    assert all(torch.equal(before[name], value) for name, value in state(model).items())
    means = [name for name in before if name.endswith("running_mean")]
    assert means and any(not torch.equal(before[name], found.weights[name]) for name in means)


def test_as_printed_it_learns_from_what_it_is_judged_by() -> None:
    model, found = make_model(), Found()
    start = state(model)
    for number in range(12):
        adaptation(model).printed_episode(start, PRINTED, Seeds(number), found)
    assert any(not torch.equal(start[name], value) for name, value in state(model).items()), "it goes on"
    shares = [after / asked for (_, after), asked in zip(found.right, found.asked, strict=True)]
    best = shares.index(max(shares))
    assert shares[best] > found.right[best][0] / found.asked[best], "beside the weights at the start, on its own images"
    assert found.waiting == len(shares) - 1 - best
    assert found.clean_after[best:] == [found.clean_after[best]] * (len(shares) - best)


class Tied(Body):
    """Two layers share one matrix, which ``state_dict`` has under both names and ``named_parameters`` under one."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.classifier = nn.Linear(64, 64), nn.Linear(64, 64), nn.Linear(64, 3)
        self.second.weight = self.first.weight

    def features(self, images: Tensor) -> Tensor:
        found: Tensor = self.second(self.first(images.flatten(1)).relu()).relu()
        return found


@pytest.mark.parametrize("printed", [False, True])
def test_weights_that_layers_share_are_stepped_under_all_of_their_names(printed: bool) -> None:
    torch.manual_seed(0)
    model, found = TrainedModel(make_model().front, Tied()), Found()
    whole, start = adaptation(model), state(model)
    if printed:
        whole.printed_episode(start, PRINTED, Seeds(0), found)
    else:
        whole.fair_episode(3, Seeds(0), found)
    assert not torch.equal(found.weights["first.weight"], start["first.weight"])
    assert torch.equal(found.weights["first.weight"], found.weights["second.weight"])
    model.body.load_state_dict(found.weights)
    assert torch.equal(whole.network.weights()["first.weight"], found.weights["first.weight"])


def test_weights_at_the_start_are_looked_at_with_the_norms_at_the_start() -> None:
    model, found = make_model("convnet-1-bn:width=4"), Found()
    start = state(model)
    whole = adaptation(model, norms="adapted")
    for number in range(3):
        whole.printed_episode(start, PRINTED, Seeds(number), found)
    images = model.front(toy_images().read(slice(None)))
    assert not torch.equal(start["layers.1.running_mean"], state(model)["layers.1.running_mean"])
    model.body.eval()
    assert torch.equal(whole.network.logits(start, images), make_model("convnet-1-bn:width=4").body.eval()(images))


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


@pytest.mark.parametrize("printed", [False, True])
def test_adaptation_that_was_killed_goes_on_to_the_same_answers(tmp_path: Path, printed: bool) -> None:
    def run(scratch: Path | None, kill_at: float = 2.0) -> tuple[Found, Context]:
        def report(share: float) -> None:
            if share >= kill_at:
                raise Killed

        model, found = make_model("convnet-1-bn:width=4"), Found()
        ctx = Context(Seeds(0), scratch=scratch, checkpoint_seconds=0.0, report=report)
        before = adaptation(model, norms="adapted")
        start = {name: weight.clone() for name, weight in before.network.weights().items()}
        for number in ctx.loop(6, name="episodes", found=found, body=model.body):
            seeds = ctx.seeds.child("episode", number)
            if printed:
                before.printed_episode(start, PRINTED, seeds, found)
            else:
                before.fair_episode(3, seeds, found)
        return found, ctx

    whole, _ = run(None)
    with pytest.raises(Killed):
        run(tmp_path, 0.5)
    resumed, ctx = run(tmp_path)
    assert ctx.notes["resumed_at"] > 0
    assert (resumed.right, resumed.asked, resumed.clean_after) == (whole.right, whole.asked, whole.clean_after)
    assert all(torch.equal(whole.weights[name], value) for name, value in resumed.weights.items())
