from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import pytest
import torch
from distill_setups import with_embedding
from torch import Tensor

from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, StillproofError
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, DataInfo, Distilled, Hard, Space, Stored
from stillproof.data.digits import Digits
from stillproof.data.load import data_root
from stillproof.distill.kernels import centred, fc_ntk, regress
from stillproof.distill.kip import KernelInducingPoints
from stillproof.distill.random import RandomImages
from stillproof.nets.build import build_network
from stillproof.testing.toy import TOY, toy_images
from stillproof.transforms.space import make_front


def context(info: DataInfo = TOY, **changes: Any) -> Context:
    built, space = networks.build("convnet-2:width=8"), Space.normalised(info)
    ctx = Context(
        seeds=Seeds(0),
        card=Card("kip", 1, {}, info.name, info.name, 2, 0, "convnet-2:width=8", "", 0),
        networks=lambda seeds: build_network(built, info, seeds, "cpu"),
        space=space,
        front=make_front(space),
    )
    return dataclasses.replace(ctx, **changes)


def losses(ctx: Context) -> list[float]:
    return [entry["loss"] for entry in ctx.history]


def reference_loss(method: KernelInducingPoints, ctx: Context, support: Tensor) -> float:
    """The papers' loss in step 0, image by image, solved by an inverse."""
    data = toy_images()
    targets, wanted = [], []
    for label in range(3):
        members = data.of_class(label)
        order = torch.randperm(len(members), generator=ctx.seeds.child("real", 0, label).torch())
        chosen = members[order[: method.target_batch // 3]]
        pixels = data.read(slice(None))
        targets.append((data.read(chosen) - pixels.mean()) / pixels.std(correction=0))
        wanted += [[float(c == label) - 1 / 3 for c in range(3)]] * len(chosen)
    size = len(support)
    within = fc_ntk(support, support, method.depth)
    ridge = method.ridge * within.diagonal().sum() / size * torch.eye(size)
    labels = torch.tensor([[float(c == n // 2) - 1 / 3 for c in range(3)] for n in range(size)], dtype=torch.float64)
    found = fc_ntk(torch.cat(targets), support, method.depth) @ torch.linalg.inv(within + ridge) @ labels
    return float(0.5 * ((found - torch.tensor(wanted, dtype=torch.float64)) ** 2).mean())


@pytest.mark.parametrize("depth", [1, 3])
def test_loss_is_the_papers(depth: int) -> None:
    method, ctx = KernelInducingPoints(steps=1, target_batch=15, depth=depth), context()
    start = KernelInducingPoints(steps=0).distill(toy_images(), 2, context()).images
    method.distill(toy_images(), 2, ctx)
    assert losses(ctx)[0] == pytest.approx(reference_loss(method, ctx, start))


@pytest.mark.parametrize("init", ["real", "noise", "k-center"])
def test_images_are_standardised_exactly(init: Any) -> None:
    data = toy_images()
    pixels = data.read(slice(None)).double()
    made = KernelInducingPoints(steps=0, init=init).distill(data, 2, with_embedding(context()))
    assert made.space.mean == pytest.approx((float(pixels.mean()),))
    assert made.space.std == pytest.approx((float(pixels.std(correction=0)),)) != data.info.std
    if init != "noise":
        back = make_front(made.space).inverse(made.images)
        assert all(float((pixels - image).abs().amax((1, 2, 3)).min()) < 1e-5 for image in back)


@pytest.mark.parametrize("kernel", ["fc-ntk", "conv-features"])
def test_more_steps_make_the_regression_better(kernel: Any) -> None:
    ctx = context()
    method = KernelInducingPoints(steps=40, target_batch=30, kernel=kernel, networks=2, init="noise")
    made = method.distill(toy_images(), 1, ctx)
    assert sum(losses(ctx)[-5:]) < 0.5 * sum(losses(ctx)[:5])
    assert all(0 <= entry["krr_accuracy"] <= 1 for entry in ctx.history)
    assert made.images.shape == (3, 1, 8, 8) and isinstance(made.labels, Hard) and made.recipe is None
    assert made.labels.values.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kernel", ["fc-ntk", "conv-features"])
def test_learned_labels_are_stored_around_zero(kernel: Any) -> None:
    ctx = context()
    method = KernelInducingPoints(steps=3, target_batch=30, kernel=kernel, networks=1, learn_labels=True)
    made = method.distill(toy_images(), 2, ctx)
    assert isinstance(made.labels, Stored) and made.labels.kind == "centred"
    before = centred(torch.tensor([0, 0, 1, 1, 2, 2]), 3).float()
    moved = (made.labels.values - before).abs()
    assert made.labels.values.dtype == torch.float32 and not made.labels.values.requires_grad
    assert made.recipe is not None and made.recipe.params["objective"] == "mse"
    assert float(moved.min()) > 0 and float(moved.max()) <= 3 * 0.0401  # Adam moves by at most lr per step


@pytest.mark.parametrize("learn_labels", [False, True])
def test_digits_are_classified_better_than_from_random_images(learn_labels: bool) -> None:
    train, test = (Digits().load(data_root(None), split) for split in ("train", "test"))
    ctx = context(train.info)
    method = KernelInducingPoints(steps=60, target_batch=500, learn_labels=learn_labels)

    def accuracy(made: Distilled, labels: Tensor) -> float:
        pixels = make_front(made.space)(test.read(slice(None)))
        found = regress(*_kernel(made.images, pixels, depth=1), labels, ridge=1e-6)
        assert found is not None
        return float((found.argmax(1) == test.labels).double().mean())

    chosen, made = RandomImages().distill(train, 1, context(train.info)), method.distill(train, 1, ctx)
    hard = centred(torch.arange(10), 10)
    learned = accuracy(made, made.labels.values if learn_labels else hard)
    assert learned > accuracy(chosen, hard) + 0.15
    assert learned > 0.85
    assert learned == pytest.approx(ctx.history[-1]["krr_accuracy"], abs=0.08)


def _kernel(support: Tensor, targets: Tensor, depth: int) -> tuple[Tensor, Tensor]:
    return fc_ntk(support, support, depth), fc_ntk(targets, support, depth)


def fail_at_call(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Give a kernel that has no inverse, once; there are two calls per step."""
    calls = itertools.count()

    def kernel(first: Tensor, second: Tensor, depth: int) -> Tensor:
        return fc_ntk(first, second, depth) * (-1 if next(calls) == number else 1)

    monkeypatch.setattr("stillproof.distill.kip.fc_ntk", kernel)


def test_a_kernel_that_cannot_be_inverted_is_a_divergence(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at_call(monkeypatch, 2)
    with pytest.raises(StillproofError, match="diverged: the loss is nan in step 2 of 3"):
        KernelInducingPoints(steps=3, target_batch=30).distill(toy_images(), 2, context())


def test_a_retreat_goes_on_after_a_divergence(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at_call(monkeypatch, 2)
    ctx = context()
    method = KernelInducingPoints(steps=4, target_batch=30, on_divergence="shrink")
    made = method.distill(toy_images(), 2, ctx)
    assert ctx.notes["retreats"] == [{"step": 1, "problem": "the loss is nan"}]
    assert [entry["step"] for entry in ctx.history] == [0, 2, 3] and bool(torch.isfinite(made.images).all())


def test_a_network_is_needed_only_where_it_is_used() -> None:
    assert not KernelInducingPoints().needs.network
    assert KernelInducingPoints(kernel="conv-features").needs.network
    assert KernelInducingPoints(init="k-center").needs.network
    made = KernelInducingPoints(steps=1, target_batch=30).distill(toy_images(), 1, context(networks=None))
    assert made.images.shape == (3, 1, 8, 8)


def test_cost_grows_with_the_work() -> None:
    small, large = KernelInducingPoints(steps=10), KernelInducingPoints(steps=20)
    assert large.image_passes(60_000, 10, 1) == 2 * small.image_passes(60_000, 10, 1)
    assert small.image_passes(60_000, 10, 50) > 3 * small.image_passes(60_000, 10, 1)
    conv = KernelInducingPoints(steps=10, kernel="conv-features", networks=3, target_batch=100)
    assert conv.image_passes(60_000, 10, 1) == 10 * 3 * (100 + 4 * 10)


def test_presets_are_those_of_the_original_notebook() -> None:
    assert preset_params(distillers.get("kip"), "paper", "mnist", 10) == {}
    assert KernelInducingPoints() == KernelInducingPoints(
        steps=1000, lr=0.04, target_batch=5000, kernel="fc-ntk", depth=1, ridge=1e-6, learn_labels=False, zca=False
    )


def test_what_cannot_be_optimised_is_refused() -> None:
    for setting in ("lr=0", "ridge=-1", "target_batch=0", "steps=-5", "depth=0", "networks=0", "kernel=rbf"):
        with pytest.raises(BadInput, match="distiller 'kip'"):
            distillers.build(f"kip:{setting}")
    assert math.isclose(distillers.build("kip:ridge=0.5").ridge, 0.5)  # type: ignore[attr-defined]
