from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.distill.kernels import FeatureKernel, centred, fc_ntk, regress
from stillproof.nets.build import build_network
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import TOY


def images(count: int, seed: int = 0, size: int = 8) -> Tensor:
    return torch.randn(count, 1, size, size, generator=Seeds(seed).torch())


def measured_ntk(inputs: Tensor, depth: int, width: int, seed: int) -> Tensor:
    """The kernel of gradients of one finite network, weights N(0, 1) scaled in the forward pass."""
    generator = Seeds(seed).child("width").torch()
    sizes = [inputs.shape[1]] + [width] * depth + [1]
    weights = [torch.randn(b, a, generator=generator).requires_grad_() for a, b in itertools.pairwise(sizes)]
    biases = [torch.randn(size, generator=generator).requires_grad_() for size in sizes[1:]]
    rows = []
    for row in inputs:
        hidden = row
        for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            hidden = math.sqrt(2 / weight.shape[1]) * (weight @ hidden) + 0.1 * bias
            hidden = hidden if layer == depth else hidden.relu()
        gradients = torch.autograd.grad(hidden.squeeze(), weights + biases)
        rows.append(torch.cat([gradient.flatten() for gradient in gradients]))
    stacked = torch.stack(rows)
    return stacked @ stacked.T


@pytest.mark.parametrize(("depth", "width", "draws"), [(1, 8192, 4), (2, 1024, 8)])
def test_ntk_is_that_of_wide_networks(depth: int, width: int, draws: int) -> None:
    inputs = images(4, size=4).flatten(1)
    inputs[3] = 0.9 * inputs[0] + 0.1 * inputs[1]
    found = torch.stack([measured_ntk(inputs, depth, width, seed) for seed in range(draws)]).mean(0).double()
    expected = fc_ntk(inputs, inputs, depth)
    scale = expected.diagonal().mean()
    assert float((found - expected).abs().max() / scale) < 0.04


def test_ntk_of_orthogonal_and_opposite_images_is_the_closed_form() -> None:
    inputs = torch.tensor([[math.sqrt(2.0), 0.0], [0.0, math.sqrt(2.0)], [-math.sqrt(2.0), 0.0]])
    found = fc_ntk(inputs, inputs, depth=1)
    # First layer: q = 2 * 1 + .01 with itself, .01 across, -2 + .01 against the opposite image.
    q = 2.01
    assert float(found[0, 0]) == pytest.approx(2 * (q / 2) + 0.01 + 2 * 0.5 * q)
    for other, cross in ((1, 0.01), (2, -1.99)):
        angle = math.acos(cross / q)
        relu = (q * math.sin(angle) + (math.pi - angle) * cross) / (2 * math.pi)
        expected = 2 * relu + 0.01 + 2 * (math.pi - angle) / (2 * math.pi) * cross
        assert float(found[0, other]) == pytest.approx(expected)


@given(seed=st.integers(0, 1000), count=st.integers(1, 8), depth=st.integers(1, 4))
def test_ntk_is_symmetric_and_positive(seed: int, count: int, depth: int) -> None:
    inputs = images(count, seed)
    kernel = fc_ntk(inputs, inputs, depth)
    torch.testing.assert_close(kernel, kernel.T, rtol=1e-12, atol=0)
    assert float(torch.linalg.eigvalsh(kernel).min()) > 0


def test_ntk_has_the_gradient_of_its_differences() -> None:
    other = images(3, 1)
    inputs = images(2).double().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: fc_ntk(x, other, 2), inputs)
    assert torch.autograd.gradcheck(lambda x: fc_ntk(x, x, 2), inputs)  # the diagonal too


@pytest.mark.parametrize("factor", [1.0, -1.0, 0.0, 1 + 1e-7, 1e-20, 1e6])
def test_gradients_are_finite_where_images_coincide(factor: float) -> None:
    first = images(3).requires_grad_()
    fc_ntk(first, torch.cat([first.detach() * factor, first * factor]), 3).sum().backward()  # type: ignore[no-untyped-call]
    assert first.grad is not None and bool(torch.isfinite(first.grad).all())


def test_a_support_that_is_the_targets_gives_their_labels_back() -> None:
    inputs, labels = images(12), centred(torch.arange(12) % 3, 3)
    kernel = fc_ntk(inputs, inputs, 1)
    found = regress(kernel, kernel, labels, 1e-9)
    assert found is not None
    torch.testing.assert_close(found, labels, atol=1e-6, rtol=0)


def test_the_ridge_is_a_share_of_the_mean_diagonal() -> None:
    within = torch.tensor([[4.0, 1.0], [1.0, 2.0]], dtype=torch.float64)
    labels = torch.tensor([[1.0, -1.0], [-1.0, 1.0]], dtype=torch.float64)
    found = regress(within, within[:1], labels, 0.5)
    expected = within[:1] @ torch.linalg.inv(within + 1.5 * torch.eye(2)) @ labels
    assert found is not None
    torch.testing.assert_close(found, expected)


def test_a_kernel_that_is_none_is_noticed() -> None:
    assert regress(-torch.eye(2).double(), torch.eye(2).double(), torch.eye(2), 1e-6) is None


def feature_kernel(count: int, seed: int = 0, network: str = "convnet-2:width=16", flops: float = 0.0) -> FeatureKernel:
    built = networks.build(network)
    ctx = Context(
        seeds=Seeds(seed), networks=lambda seeds: build_network(built, TOY, seeds, "cpu"), forward_flops=flops
    )
    return FeatureKernel(ctx, count, images=1)


def test_feature_kernel_is_the_mean_product_of_features() -> None:
    support, targets = images(4), images(5, 1)
    within, across = feature_kernel(2)(support, targets, 7)
    expected = torch.zeros(5, 4, dtype=torch.float64)
    for number in range(2):
        body = build_network(networks.build("convnet-2:width=16"), TOY, Seeds(0).child("network", 7, number), "cpu")
        left, right = body.features(targets).detach().double(), body.features(support).detach().double()
        expected += left @ right.T / left.shape[1] / 2
    torch.testing.assert_close(across, expected)
    assert within.dtype == torch.float64
    torch.testing.assert_close(within, feature_kernel(2)(support, support, 7)[1])
    assert float(torch.linalg.eigvalsh(within).min()) > -1e-12
    assert not torch.equal(within, feature_kernel(2)(support, targets, 8)[0])


@pytest.mark.parametrize("flops", [0.0, pytest.param(1e15, id="compiled", marks=pytest.mark.slow)])
def test_feature_kernel_has_the_gradient_of_networks_held_at_once(flops: float) -> None:
    support, targets = images(4).requires_grad_(), images(5, 1)
    kernel = feature_kernel(3, flops=flops)
    within, across = kernel(support, targets, 0)
    (within.square().sum() + across.square().sum()).backward()  # type: ignore[no-untyped-call]
    assert kernel.ctx.notes["compiled"] == (flops > 0) or "compile_error" in kernel.ctx.notes
    seeds = [Seeds(0).child("network", 0, number) for number in range(3)]
    bodies = [build_network(networks.build("convnet-2:width=16"), TOY, seed, "cpu") for seed in seeds]
    left = torch.cat([body.features(targets).double() for body in bodies], 1)
    right = torch.cat([body.features(support).double() for body in bodies], 1)
    loss = (right @ right.T / right.shape[1]).square().sum() + (left @ right.T / right.shape[1]).square().sum()
    (theirs,) = torch.autograd.grad(loss, support)
    torch.testing.assert_close(support.grad, theirs, rtol=1e-4, atol=1e-7)


def test_feature_kernel_settles_as_networks_are_added() -> None:
    support = images(6)

    def spread(count: int) -> float:
        draws = [feature_kernel(count, seed)(support, support[:1], 0)[0] for seed in range(6)]
        return float(torch.stack(draws).std(0).mean())

    assert spread(16) < 0.5 * spread(1)  # a quarter is expected


@pytest.mark.parametrize(
    "network", ["convnet-2-bn:width=8", "vit:width=16:depth=1:heads=2:head_width=8:hidden=16:dropout=0.5"]
)
def test_features_of_an_image_do_not_depend_on_the_others(network: str) -> None:
    support = images(4)
    with global_generators_untouched():
        alone = feature_kernel(1, network=network)(support[:2], support, 0)[1]
        among = feature_kernel(1, network=network)(support, support, 0)[1]
    torch.testing.assert_close(alone, among[:, :2])


def test_labels_are_centred() -> None:
    found = centred(torch.tensor([2, 0]), 4)
    torch.testing.assert_close(found, F.one_hot(torch.tensor([2, 0]), 4).double() - 0.25)
    assert float(found.sum(1).abs().max()) == 0
