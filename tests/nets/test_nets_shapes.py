from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from stillproof.core.components import networks
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo
from stillproof.nets.body import Body
from stillproof.nets.build import build_network

DEEP_RESNETS = [n for n in networks.entries() if n.startswith("resnet-") and not n.startswith("resnet-18")]
LIGHT = [n for n in networks.entries() if n not in DEEP_RESNETS]
ONCE_EACH = {networks.build(n): n for n in LIGHT}.values()  # some have two names
FAMILIES = sorted({entry.family for entry in networks.entries().values()})


def info(channels: int, size: int) -> DataInfo:
    return DataInfo("toy", channels, size, 7, (0.5,) * channels, (0.25,) * channels, "none")


def on_meta(name: str, channels: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    with torch.device("meta"):
        body = networks.build(name).build(channels, size, 7).eval()
        assert isinstance(body, Body)
        embedded = body.features(torch.empty(2, channels, size, size))
    logits: torch.Tensor = body.classifier(embedded)
    return embedded, logits


def train_once(name: str, channels: int, size: int) -> None:
    body = build_network(networks.build(name), info(channels, size), Seeds(0), "cpu")
    images = torch.randn(3, channels, size, size, generator=Seeds(1).torch())
    logits = body(images)
    assert logits.shape == (3, 7)
    assert body.features(images).dim() == 2
    loss = torch.nn.functional.cross_entropy(logits, torch.arange(3))
    gradients = torch.autograd.grad(loss, list(body.parameters()))
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert gradients[0].abs().sum() > 0, "no gradient reaches the first layer"


def test_every_family_of_the_design_is_registered() -> None:
    assert FAMILIES == ["alexnet", "convnet", "efficientnet", "lenet", "mlp", "nas201", "resnet", "vgg", "vit"]
    assert len(networks.entries()) == 13 + 1 + 1 + 1 + 1 + 3 + 21 + 1 + 2


@pytest.mark.parametrize("size", [(1, 8), (1, 28), (3, 32)])
@pytest.mark.parametrize("name", ONCE_EACH)
def test_light_networks_run_forward_and_backward(name: str, size: tuple[int, int]) -> None:
    train_once(name, *size)


@pytest.mark.parametrize("name", ["convnet-3", "lenet", "mlp", "vit"])
def test_small_networks_train_at_64_pixels(name: str) -> None:
    train_once(name, 3, 64)


@pytest.mark.parametrize("name", ["resnet-34-bn", "resnet-50-imagenet"])
def test_deep_resnets_run_forward_and_backward(name: str) -> None:
    train_once(name, 1, 8)
    train_once(name, 3, 32)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP_RESNETS)
def test_every_deep_resnet_runs_forward_and_backward(name: str) -> None:
    train_once(name, 1, 8)


@pytest.mark.parametrize(("name", "size"), [(n, 64) for n in LIGHT] + [(n, 32) for n in DEEP_RESNETS])
def test_every_name_has_flat_features_and_logits(name: str, size: int) -> None:
    embedded, logits = on_meta(name, 3, size)
    assert embedded.dim() == 2 and embedded.shape[0] == 2
    assert logits.shape == (2, 7)


@settings(max_examples=40, deadline=None)
@given(name=st.sampled_from(FAMILIES), channels=st.sampled_from([1, 3]), size=st.integers(8, 224))
def test_every_family_works_at_every_size(name: str, channels: int, size: int) -> None:
    assert on_meta(name, channels, size)[1].shape == (2, 7)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_works_at_224_pixels(name: str) -> None:
    assert on_meta(name, 3, 224)[1].shape == (2, 7)


@pytest.mark.parametrize("size", [8, 32])
@pytest.mark.parametrize("name", ["convnet-6", "vgg-11", "resnet-18", "resnet-18-imagenet", "lenet", "vit"])
def test_no_network_is_constant_where_its_maps_shrink_to_one_pixel(name: str, size: int) -> None:
    body = build_network(networks.build(name), info(3, size), Seeds(0), "cpu").eval()
    images = torch.randn(2, 3, size, size, generator=Seeds(1).torch())
    first, second = body.features(images)
    assert (first - second).abs().max() > 1e-6
    assert body(images[:1]).isfinite().all(), "a single image must work as well"


@pytest.mark.parametrize("name", ["convnet-3", "vit"])
def test_second_derivatives_exist(name: str) -> None:
    body = build_network(networks.build(name), info(3, 16), Seeds(0), "cpu").eval()
    images = torch.randn(2, 3, 16, 16, generator=Seeds(1).torch()).requires_grad_()
    loss = torch.nn.functional.cross_entropy(body(images), torch.arange(2))
    gradients = torch.autograd.grad(loss, list(body.parameters()), create_graph=True)
    (second,) = torch.autograd.grad(torch.stack([g.square().sum() for g in gradients]).sum(), images)
    assert second.isfinite().all() and second.abs().sum() > 0
