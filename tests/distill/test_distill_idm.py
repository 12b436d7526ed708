from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch
from distill_setups import SPACE, context
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import distillers, networks, recipes
from stillproof.core.context import Context
from stillproof.core.dsa_strategy import WITH_FLIP
from stillproof.core.errors import BadInput, StillproofError
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.distill.grids.grid_matcher import GridMatcher
from stillproof.distill.grids.multi_formation import turns_optimiser
from stillproof.distill.idm import IDM
from stillproof.distill.learning.net_queue import Member, NetQueue
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import TOY, toy_images
from stillproof.transforms.dsa import DSA
from stillproof.transforms.space import make_front

FAST = IDM(steps=4, batch_real=6, net_num=4, net_generate_interval=1, model_train_steps=2, batch_train=8)


def body_of(ctx: Context) -> Body:
    body = ctx.make_network()
    assert isinstance(body, Body)
    return body


def reference_loss(body: Body, ctx: Context, grids: Tensor, label: int, weight: float, step: int) -> Tensor:
    """The original's loss of one class, without the library's shortcuts."""
    data, augment, seeds = toy_images(), DSA(), ctx.seeds.child("dsa", step, label)
    members = data.of_class(label)
    order = torch.randperm(len(members), generator=ctx.seeds.child("real", step, label).torch())
    real = augment.siamese(make_front(SPACE)(data.read(members[order[:5]])), seeds.torch())
    own = grids[2 * label : 2 * label + 2]
    cells = [own[:, :, :4, :4], own[:, :, 4:, :4], own[:, :, :4, 4:], own[:, :, 4:, 4:]]
    large = torch.cat([F.interpolate(cell, scale_factor=2, mode="bilinear", align_corners=False) for cell in cells])
    synthetic = augment.siamese(large, seeds.torch())
    gap = body.features(real).detach().mean(0) - body.features(synthetic).mean(0)
    return (gap**2).sum() + weight * F.cross_entropy(body(synthetic), torch.full((8,), label))


@pytest.mark.parametrize("network", ["convnet-2:width=8", "convnet-2-bn:width=8", "mlp:width=16"])
def test_loss_and_gradient_are_the_originals_class_by_class(network: str) -> None:
    ctx = context(network)
    body = body_of(ctx).eval().requires_grad_(False)
    grids = torch.randn(6, 1, 8, 8, generator=Seeds(3).torch()).requires_grad_()
    found = GridMatcher(toy_images(), body, ctx, IDM().distance, batch_real=5, strategy=WITH_FLIP, flops=0.0).loss(
        grids, 7.0, step=4
    )
    expected = torch.stack([reference_loss(body, ctx, grids, label, 7.0, step=4) for label in range(3)]).sum()
    torch.testing.assert_close(found, expected)
    (ours,) = torch.autograd.grad(found, grids)
    (theirs,) = torch.autograd.grad(expected, grids)
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(("classes", "momentum"), [(3, 0.5), (10, 0.5), (4, 0.9), (2, 0.0)])
def test_one_step_for_all_classes_is_one_step_for_each_in_turn(classes: int, momentum: float) -> None:
    goals = torch.randn(12, classes, 5, dtype=torch.float64, generator=Seeds(0).torch())  # another in every round

    def gradient(values: Tensor, turn: int) -> Tensor:
        return 0.3 * (values - goals[turn])

    together = torch.zeros(classes, 5, dtype=torch.float64)
    ours = turns_optimiser(together, 0.2, momentum, classes)
    apart = together.clone()
    theirs = torch.optim.SGD([apart], lr=0.2, momentum=momentum)
    for turn in range(12):
        together.grad = gradient(together, turn)
        ours.step()
        for label in range(classes):
            apart.grad = torch.zeros_like(apart)
            apart.grad[label] = gradient(apart, turn)[label]
            theirs.step()
    for label in range(classes):  # class c still has c steps to coast
        torch.testing.assert_close(apart[label], together[label])
        apart.grad = torch.zeros_like(apart)
        theirs.step()


def queue_of(ctx: Context, most: int = 3) -> NetQueue:
    return NetQueue(body_of(ctx), ctx.seeds.child("queue"), most)


def batches(count: int) -> list[tuple[Tensor, Tensor]]:
    data = toy_images()
    images = make_front(SPACE)(data.read(slice(None)))
    return [(images[n::2], data.labels[n::2]) for n in [0, 1] * count][:count]


def test_the_oldest_network_leaves_a_full_queue() -> None:
    queue = queue_of(context())
    seen = []
    for _ in range(5):
        queue.push()
        seen.append(queue.members[-1])
    assert len(queue) == 3 and queue.born == 5
    assert all(left is right for left, right in zip(queue.members, seen[2:], strict=True))
    first = [member.weights["classifier.weight"] for member in seen]
    assert not any(torch.equal(first[i], first[j]) for i in range(5) for j in range(i))


def test_training_one_network_is_plain_sgd_with_a_momentum_that_lives_on() -> None:
    ctx = context()
    queue = queue_of(ctx)
    queue.push()
    queue.push()
    other = queue.members[1].weights["classifier.weight"].clone()
    alone = build_network(networks.build("convnet-2:width=8"), TOY, ctx.seeds.child("queue", 0), "cpu")
    optimiser = torch.optim.SGD(alone.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    right = 0
    for images, labels in batches(6):
        logits = alone(images)
        right += int((logits.argmax(1) == labels).sum())
        optimiser.zero_grad()
        F.cross_entropy(logits, labels).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    for part in (batches(6)[:4], batches(6)[4:]):
        queue.train(0, part, queue.body)
        queue.show(1)  # another network uses the module in between
    for name, value in alone.state_dict().items():
        torch.testing.assert_close(queue.members[0].weights[name], value)
    assert torch.equal(queue.members[1].weights["classifier.weight"], other)
    assert queue.members[0].accuracy == right / (6 * 18)
    assert queue.members[1].accuracy == 0
    queue.forget()
    assert queue.members[0].accuracy == 0


def test_a_shown_network_is_frozen_and_in_evaluation_mode() -> None:
    queue = queue_of(context("convnet-2-bn:width=8"))
    queue.push()
    queue.train(0, batches(2), queue.body)
    queue.show(0)
    assert not queue.body.training
    assert not any(parameter.requires_grad for parameter in queue.body.parameters())
    assert int(queue.members[0].weights["layers.1.num_batches_tracked"]) == 2


def test_networks_arrive_at_their_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    show = NetQueue.show

    def spy(queue: NetQueue, position: int) -> Member:
        lengths.append(len(queue))
        return show(queue, position)

    monkeypatch.setattr(NetQueue, "show", spy)
    method = dataclasses.replace(FAST, steps=6, net_num=5, net_generate_interval=2, model_train_steps=0)
    method.distill(toy_images(), 1, context())
    assert lengths[::3] == [4, 4, 5, 5, 5, 5]  # one look and two trainings per step; 3 networks at the start


def test_a_stopped_run_goes_on_with_its_queue(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(share: float) -> None:
        if share >= 0.5:
            raise Stopped

    whole = FAST.distill(toy_images(), 2, context())
    first = context(scratch=tmp_path)
    first.report = stop
    with pytest.raises(Stopped):
        FAST.distill(toy_images(), 2, first)
    second = context(scratch=tmp_path)
    made = FAST.distill(toy_images(), 2, second)
    assert second.notes["resumed_at"] == 2
    assert torch.equal(made.images, whole.images)


def test_the_queue_decides_the_images() -> None:
    untrained = dataclasses.replace(FAST, model_train_steps=0)
    images = [method.distill(toy_images(), 2, context()).images for method in (FAST, untrained)]
    assert not torch.equal(images[0], images[1])


def test_accuracy_in_percent_weighs_the_cross_entropy(monkeypatch: pytest.MonkeyPatch) -> None:
    weights: list[float] = []
    loss = GridMatcher.loss

    def spy(matcher: GridMatcher, grids: Tensor, ce_weight: float, step: int) -> Tensor:
        weights.append(ce_weight)
        return loss(matcher, grids, ce_weight, step)

    monkeypatch.setattr(GridMatcher, "loss", spy)
    ctx = context()
    method = dataclasses.replace(FAST, steps=9, ce_weight=0.3, forget_interval=5)
    method.distill(toy_images(), 2, ctx)
    assert weights == [pytest.approx(30 * entry["network_accuracy"]) for entry in ctx.history]
    assert weights[0] == weights[5] == 0 and max(weights) > 0


def test_more_steps_bring_the_means_together() -> None:
    ctx = context()
    method = dataclasses.replace(FAST, steps=60, batch_real=12, init="noise", ce_weight=0.0, model_train_steps=0)
    made = method.distill(toy_images(), 2, ctx)
    losses = [entry["loss"] for entry in ctx.history]
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])
    assert made.images.shape == (6, 1, 8, 8) and made.decode == "grid2x2"
    assert made.recipe == recipes.spec(recipes.build("dc-bench-dsa"))


def test_dropout_draws_from_the_seed() -> None:
    def made() -> Tensor:
        ctx = context("vit:width=16:depth=1:heads=2:head_width=8:hidden=16:dropout=0.5")
        return FAST.distill(toy_images(), 1, ctx).images

    with global_generators_untouched():
        first, second = made(), made()
    assert torch.equal(first, second)


def test_divergence_is_told() -> None:
    wild = dataclasses.replace(FAST, steps=6, lr=1e30)
    with pytest.raises(StillproofError, match="diverged"):
        wild.distill(toy_images(), 1, context())


def published(dataset: str, ipc: int) -> IDM:
    return IDM(**preset_params(distillers.get("idm"), "paper", dataset, ipc))


def test_paper_presets_are_the_published_ones() -> None:
    assert published("cifar10", 1) == IDM(ce_weight=0.5, batch_real=5000, net_generate_interval=5)
    assert published("cifar10", 10) == IDM(ce_weight=0.5, batch_real=256, net_generate_interval=30)
    assert published("cifar10", 50) == IDM(ce_weight=0.1, forget_interval=500)
    assert published("cifar100", 10) == IDM(ce_weight=0.1, model_train_steps=50)
    assert published("cifar100", 50) == IDM(ce_weight=0.1, model_train_steps=40, forget_interval=500)
    assert published("tiny_imagenet", 1) == IDM(start="whole")
    assert published("tiny_imagenet", 50) == IDM(
        ce_weight=0.8, model_train_steps=50, forget_interval=1000, start="whole"
    )
    assert (IDM().steps, IDM().lr, IDM().momentum, IDM().net_num) == (20_000, 0.2, 0.5, 100)


def test_an_ipc_between_two_published_ones_is_as_the_smaller() -> None:
    assert published("svhn", 5) == published("svhn", 1)
    assert published("svhn", 20) == published("svhn", 10)
    assert published("svhn", 200) == published("svhn", 50)


def test_what_cannot_be_optimised_is_refused() -> None:
    for setting in (
        "lr=0",
        "batch_real=0",
        "steps=-5",
        "momentum=1",
        "net_num=0",
        "forget_interval=0",
        "ce_weight=-1",
    ):
        with pytest.raises(BadInput, match="distiller 'idm'"):
            distillers.build(f"idm:{setting}")


def test_a_grid_may_start_as_one_whole_image() -> None:
    data = toy_images()
    made = IDM(steps=0, start="whole").distill(data, 1, context())
    pixels = make_front(SPACE).inverse(made.images)
    assert made.decode == "grid2x2" and made.images.shape == (3, 1, 8, 8)
    real = data.read(slice(None))
    assert all(float((real - image).abs().amax((1, 2, 3)).min()) < 1e-5 for image in pixels)


def test_single_images_are_matched_as_they_are() -> None:
    ctx = context()
    body = body_of(ctx).eval().requires_grad_(False)
    images = torch.randn(6, 1, 8, 8, generator=Seeds(3).torch())
    matcher = GridMatcher(
        toy_images(), body, ctx, IDM().distance, batch_real=5, strategy=WITH_FLIP, form="single", flops=0.0
    )
    expected = torch.zeros(())
    for label in range(3):
        seeds = ctx.seeds.child("dsa", 4, label)
        real = DSA().siamese(matcher.real.draw(label, 4), seeds.torch())
        own = DSA().siamese(images[2 * label : 2 * label + 2], seeds.torch())
        expected = expected + (body.features(real).mean(0) - body.features(own).mean(0)).square().sum()
    torch.testing.assert_close(matcher.loss(images, 0.0, step=4), expected)
    made = IDM(steps=1, batch_real=4, model_train_steps=1, batch_train=4, form="single")
    assert made.needs.trained_per_image == 1 and made.distill(toy_images(), 1, context()).decode == "none"


def test_published_forms() -> None:
    def params(dataset: str, ipc: int) -> dict[str, object]:
        return preset_params(distillers.get("idm"), "paper", dataset, ipc)

    assert params("tiny_imagenet", 10)["start"] == "whole" and "start" not in params("cifar10", 10)
    assert (
        params("imagenette", 50)["form"] == "single"
        and params("imagenette", 1)["batch_train"] == 128
        and "form" not in params("imagenette", 10)
    )
