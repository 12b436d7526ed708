from __future__ import annotations

import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.dsa_strategy import WITH_FLIP
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Space
from stillproof.distill.bacon import BACON
from stillproof.distill.grids.grid_matcher import GridMatcher
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.testing.toy import TOY, toy_images
from stillproof.transforms.space import make_front

SPACE = Space.normalised(TOY)


def context() -> Context:
    network = networks.build("convnet-2:width=8")
    return Context(
        seeds=Seeds(0),
        card=Card("bacon", 1, {}, "toy", "toy", 2, 0, "convnet-2:width=8", "", 0),
        networks=lambda seeds: build_network(network, TOY, seeds, "cpu"),
        space=SPACE,
        front=make_front(SPACE),
    )


def reference(found: Tensor, mean: Tensor, std: Tensor) -> Tensor:
    gaussian = torch.distributions.Normal(mean, torch.exp(std))
    likelihood: Tensor = gaussian.log_prob(found).sum()  # type: ignore[no-untyped-call]
    return -likelihood + 0.8 * 0.5 * torch.abs(found - mean).sum()


@given(st.integers(0, 1000), st.floats(0.01, 5.0))
@settings(max_examples=30, deadline=None)
def test_the_distance_is_that_of_a_gaussian_and_a_total_variation(seed: int, scale: float) -> None:
    found, mean, std = scale * torch.randn(3, 4, 9, dtype=torch.float64, generator=Seeds(seed).torch())
    std, found = std.abs(), found.requires_grad_()
    ours, theirs = BACON().distance(found, mean, std), reference(found, mean, std)
    torch.testing.assert_close(ours, theirs)
    (slope,), (expected,) = (torch.autograd.grad(loss, found) for loss in (ours, theirs))
    torch.testing.assert_close(slope, expected)


def test_far_from_the_mean_it_stays_finite() -> None:
    far = torch.full((1, 1), 100.0)
    density = torch.exp(-0.5 * far**2)
    assert float(density) == 0  # its logarithm would be infinite
    loss = BACON().distance(far, torch.zeros(1, 1), torch.zeros(1, 1))
    torch.testing.assert_close(loss, torch.tensor(5000 + 40 + 0.5 * math.log(2 * math.pi)))


def test_the_deviation_is_that_of_the_real_embeddings() -> None:
    ctx, seen = context(), []

    def spy(found: Tensor, mean: Tensor, std: Tensor) -> Tensor:
        seen.append((mean, std))
        return found.sum()

    body = ctx.make_network()
    assert isinstance(body, Body)
    matcher = GridMatcher(toy_images(), body.eval(), ctx, spy, batch_real=12, strategy=WITH_FLIP, flops=0.0)
    matcher.loss(torch.zeros(3, 1, 8, 8), 0.0, step=0)
    batch = matcher.augment.siamese(matcher.real.draw(1, 0), ctx.seeds.child("dsa", 0, 1).torch())
    embedded = body.features(batch).detach()
    torch.testing.assert_close(seen[0][0][1], embedded.mean(0))
    torch.testing.assert_close(seen[0][1][1], embedded.std(0))


def test_a_single_real_image_has_no_deviation() -> None:
    made = BACON(steps=2, batch_real=1, model_train_steps=1, batch_train=4).distill(toy_images(), 1, context())
    assert bool(torch.isfinite(made.images).all())


def test_it_is_not_idm() -> None:
    settings_of_both = {"steps": 2, "batch_real": 6, "model_train_steps": 1, "batch_train": 8}
    ours, idms = (
        distillers.build(name, settings_of_both).distill(toy_images(), 2, context()) for name in ("bacon", "idm")
    )
    assert ours.decode == "grid2x2" and ours.images.shape == (6, 1, 8, 8)
    assert not torch.equal(ours.images, idms.images)


def test_more_steps_make_the_images_likelier() -> None:
    ctx = context()
    BACON(steps=60, batch_real=12, init="noise", ce_weight=0.0, model_train_steps=0).distill(toy_images(), 2, ctx)
    losses = [entry["loss"] for entry in ctx.history]
    assert sum(losses[-10:]) < sum(losses[:10])


def published(dataset: str, ipc: int) -> BACON:
    return BACON(**preset_params(distillers.get("bacon"), "paper", dataset, ipc))


def test_paper_presets_are_the_published_ones() -> None:
    assert published("mnist", 1) == BACON(ce_weight=0.5, batch_real=5000, net_generate_interval=5)
    assert published("mnist", 50) == BACON()
    assert published("svhn", 50) == BACON(ce_weight=0.1, forget_interval=500)
    assert published("cifar100", 50) == BACON(ce_weight=0.1, model_train_steps=50, forget_interval=500)
    assert published("tiny_imagenet", 10) == BACON(model_train_steps=50, forget_interval=500)
