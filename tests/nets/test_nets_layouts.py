from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.nets.body import Body
from stillproof.nets.build import count_parameters
from stillproof.nets.norms import make_norm
from stillproof.nets.vit import patch_size


def body_on_meta(name: str, channels: int = 3, size: int = 32, **params: Any) -> Body:
    with torch.device("meta"):
        body = networks.build(name, params).build(channels, size, 10)
    assert isinstance(body, Body)
    return body


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("convnet-3", 320_010),
        ("mlp", 3072 * 128 + 128 + 128 * 128 + 128 + 128 * 10 + 10),
        ("lenet", 62_006),
        ("resnet-18", 11_173_962),
        ("resnet-50", 23_520_842),
        ("vit", 9_523_722),
    ],
)
def test_parameter_counts_on_cifar10(name: str, parameters: int) -> None:
    assert count_parameters(body_on_meta(name)) == parameters


@pytest.mark.parametrize(
    ("name", "channels", "size", "inputs"),
    [
        ("convnet-3", 3, 32, 2048),
        ("convnet-3", 1, 28, 2048),
        ("convnet-3", 3, 28, 128 * 3 * 3),
        ("convnet-4", 3, 64, 2048),
        ("convnet-6", 3, 32, 128),
        ("lenet", 3, 32, 84),
        ("alexnet", 3, 32, 192 * 4 * 4),
        ("alexnet", 1, 28, 192 * 4 * 4),
        ("vgg-11", 3, 32, 512),
        ("vgg-11-bn", 1, 28, 512),
        ("resnet-18", 3, 64, 512),
        ("resnet-152-imagenet", 3, 224, 2048),
        ("vit", 3, 32, 512),
    ],
)
def test_width_of_the_embedding(name: str, channels: int, size: int, inputs: int) -> None:
    classifier = body_on_meta(name, channels, size).classifier
    assert isinstance(classifier, nn.Linear)
    assert classifier.in_features == inputs


@pytest.mark.parametrize(("channels", "size"), [(3, 32), (1, 28)])
def test_lenet_flattens_16_maps_of_5_by_5_pixels(channels: int, size: int) -> None:
    assert body_on_meta("lenet", channels, size).get_parameter("hidden.0.weight").shape == (120, 16 * 5 * 5)


def test_convnet_3_has_the_tensors_of_published_checkpoints() -> None:
    shapes = {key: tuple(value.shape) for key, value in body_on_meta("convnet-3").state_dict().items()}
    expected: dict[str, tuple[int, ...]] = {"classifier.weight": (10, 2048), "classifier.bias": (10,)}
    for block, inputs in enumerate((3, 128, 128)):
        expected[f"layers.{4 * block}.weight"] = (128, inputs, 3, 3)
        expected[f"layers.{4 * block}.bias"] = (128,)
        expected[f"layers.{4 * block + 1}.weight"] = (128,)
        expected[f"layers.{4 * block + 1}.bias"] = (128,)
    assert shapes == expected


def test_convnet_blocks_are_convolution_norm_activation_pool() -> None:
    layers = body_on_meta("convnet-2").get_submodule("layers")
    assert isinstance(layers, nn.Sequential)
    kinds = [type(layer) for layer in layers]
    assert kinds == [nn.Conv2d, nn.GroupNorm, nn.ReLU, nn.AvgPool2d] * 2


def test_resnet_parts_have_the_names_of_published_checkpoints() -> None:
    keys = set(body_on_meta("resnet-18").state_dict())
    parts = ["conv1.weight", "bn1.weight", "layer1.0.bn2.bias", "layer2.0.shortcut.0.weight", "classifier.weight"]
    assert keys.issuperset(parts)
    assert not any("running" in key for key in keys)
    assert "layer4.1.bn2.running_mean" in body_on_meta("resnet-18-bn").state_dict()


def test_global_pool_of_a_resnet_is_the_reference_pool_at_32_pixels() -> None:
    body = networks.build("resnet-18").build(3, 32, 10)
    assert isinstance(body, Body)
    captured: list[torch.Tensor] = []
    body.get_submodule("layer4").register_forward_hook(lambda *call: captured.append(call[2]))
    embedded = body.features(torch.randn(1, 3, 32, 32))
    torch.testing.assert_close(nn.functional.avg_pool2d(captured[0], 4).flatten(1), embedded)


@pytest.mark.parametrize("norm", ["instance", "batch", "layer", "group", "none"])
@pytest.mark.parametrize("activation", ["relu", "sigmoid", "leaky-relu", "swish"])
@pytest.mark.parametrize("pooling", ["avg", "max", "none"])
def test_every_combination_of_convnet_parts_runs(norm: str, activation: str, pooling: str) -> None:
    params = {"width": 8, "norm": norm, "activation": activation, "pooling": pooling}
    body = networks.build("convnet", params).build(1, 8, 3)
    images = torch.randn(4, 1, 8, 8)
    assert body(images).shape == (4, 3)


@pytest.mark.parametrize(
    ("reference", "word"),
    [
        ("convnet:depth=0", "depth"),
        ("convnet:width=0", "width"),
        ("convnet:norm=group:width=6", "multiple of 4"),
        ("convnet:norm=batchnorm", "norm"),
        ("mlp:width=0", "width"),
        ("resnet:depth=20", "18, 34, 50, 101, 152"),
        ("vit:heads=0", "heads"),
        ("vit:dropout=1", "dropout"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(reference: str, word: str) -> None:
    with pytest.raises(BadInput, match=word):
        networks.build(reference)


@pytest.mark.parametrize(("size", "patch"), [(8, 2), (16, 4), (28, 4), (32, 4), (64, 4), (65, 8), (128, 8), (224, 16)])
def test_patch_size_rule(size: int, patch: int) -> None:
    assert patch_size(size) == patch


def test_a_norm_that_would_erase_its_input_is_left_out() -> None:
    assert isinstance(make_norm("instance", 8, 1), nn.Identity)
    assert isinstance(make_norm("group", 4, 1), nn.Identity)
    assert isinstance(make_norm("group", 8, 1), nn.GroupNorm)
    instance = make_norm("instance", 8, 2)
    assert isinstance(instance, nn.GroupNorm) and instance.num_groups == 8
