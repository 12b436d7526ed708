from __future__ import annotations

import pytest
import torch
from distill_setups import changed_alike, context, with_embedding
from torch import Tensor

from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.distill.dm import DistributionMatching
from stillproof.distill.learning.first_images import initial_images
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import TOY, toy_images
from stillproof.transforms.space import make_front


def reference_loss(method: DistributionMatching, ctx: Context, images: Tensor, network: str, step: int) -> Tensor:
    """The paper's loss, one class at a time, written without the library's shortcuts."""
    body = build_network(networks.build(network), TOY, ctx.seeds.child("network"), "cpu")
    real, synthetic = changed_alike(ctx, images, method.batch_real, step)
    features = body.features(real).detach()
    found = body.features(synthetic)
    size = method.batch_real
    total = torch.zeros(())
    for label in range(3):
        goal = features[size * label : size * (label + 1)].mean(0)
        total = total + ((goal - found[2 * label : 2 * label + 2].mean(0)) ** 2).sum()
    return total


def check_loss(network: str) -> None:
    ctx, method = context(network), DistributionMatching(batch_real=5)
    body = ctx.make_network()
    images = torch.randn(6, 1, 8, 8, generator=Seeds(3).torch()).requires_grad_()
    assert isinstance(body, Body)
    found = method.matcher(body, toy_images(), ctx).loss(images, step=4)
    expected = reference_loss(method, ctx, images, network, step=4)
    torch.testing.assert_close(found, expected)
    (ours,) = torch.autograd.grad(found, images, retain_graph=True)
    (theirs,) = torch.autograd.grad(expected, images)
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)


def test_loss_and_gradient_are_the_papers() -> None:
    check_loss("convnet-2:width=8")


def test_batch_norm_sees_all_classes_together() -> None:
    check_loss("convnet-2-bn:width=8")


def test_more_steps_bring_the_means_together() -> None:
    ctx = context()
    made = DistributionMatching(steps=60, batch_real=12, init="noise").distill(toy_images(), 2, ctx)
    losses = [entry["loss"] for entry in ctx.history]
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])
    assert made.images.shape == (6, 1, 8, 8)


def test_images_may_leave_the_pixel_range() -> None:
    made = DistributionMatching(steps=5, batch_real=8, lr=50.0, init="noise").distill(toy_images(), 2, context())
    pixels = make_front(made.space).inverse(made.images)
    assert float(pixels.min()) < 0 and float(pixels.max()) > 1


def test_every_start_gives_the_right_labels() -> None:
    starts = {}
    for init in ("noise", "real", "k-center"):
        images, labels = initial_images(toy_images(), 2, with_embedding(context()), init)
        assert labels.tolist() == [0, 0, 1, 1, 2, 2]
        assert images.shape == (6, 1, 8, 8)
        starts[init] = images
    assert not torch.equal(starts["real"], starts["noise"])
    assert not torch.equal(starts["real"], starts["k-center"])


def test_paper_preset_raises_the_step_size_for_large_sets() -> None:
    assert preset_params(distillers.get("dm"), "paper", "cifar10", 50) == {}
    assert preset_params(distillers.get("dm"), "paper", "cifar10", 100) == {"lr": 10.0}
    assert preset_params(distillers.get("dm"), "paper", "cifar100", 100) == {}
    assert DistributionMatching() == DistributionMatching(
        steps=20_000, lr=1.0, momentum=0.5, batch_real=256, init="real"
    )


def test_dropout_draws_from_the_seed() -> None:
    def made() -> Tensor:
        ctx = context("vit:width=16:depth=1:heads=2:head_width=8:hidden=16:dropout=0.5")
        return DistributionMatching(steps=2, batch_real=4).distill(toy_images(), 1, ctx).images

    with global_generators_untouched():
        first, second = made(), made()
    assert torch.equal(first, second)


def test_what_cannot_be_optimised_is_refused() -> None:
    for setting in ("lr=-1", "batch_real=0", "steps=-5", "momentum=1"):
        with pytest.raises(BadInput, match="distiller 'dm'"):
            distillers.build(f"dm:{setting}")
