"""Episodes of a test, one by one: what shots do to a network, and what is left as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from train_setups import Killed, make_model, state

from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.nets.body import Body
from stillproof.testing.toy import toy_attacked, toy_images
from stillproof.train.meta.adapting import Shots, right_of, said_of
from stillproof.train.meta.few_shots import Adaptation, Found, Printed
from stillproof.train.meta.meta_step import PairNetwork
from stillproof.train.model import TrainedModel

PRINTED = Printed(ways=2, inner="joint", outer_lr=0.3, clip=0.0, order="second")


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
