from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch
from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo
from stillproof.nets.body import Body
from stillproof.nets.build import build_network, count_parameters, forward_flops, reinitialise

CIFAR = DataInfo("toy", 3, 32, 10, (0.5, 0.5, 0.5), (0.25, 0.25, 0.25), "none")
HEAVY = ("resnet-34-", "resnet-50-", "resnet-101", "resnet-152")
ONCE_EACH = {networks.build(n): n for n in networks.entries()}.values()  # some have two names
NAMES = [pytest.param(n, marks=[pytest.mark.slow] if n.startswith(HEAVY) else []) for n in ONCE_EACH]


def state(body: Body) -> dict[str, Tensor]:
    return {key: value.clone() for key, value in body.state_dict().items()}


def same(first: dict[str, Tensor], second: dict[str, Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize("name", NAMES)
def test_reinitialised_weights_are_those_of_a_new_network(name: str) -> None:
    network = networks.build(name)
    body = build_network(network, CIFAR, Seeds(0).child("a"), "cpu")
    built = state(body)
    with torch.no_grad():
        for value in (*body.parameters(), *body.buffers()):
            value.fill_(3)
    reinitialise(body, Seeds(0).child("b"))
    assert not same(state(body), built)
    reinitialise(body, Seeds(0).child("a"))
    assert same(state(body), built)


def test_reinitialise_keeps_the_parameters_that_an_optimiser_holds() -> None:
    body = build_network(networks.build("convnet"), CIFAR, Seeds(0), "cpu")
    before = [parameter.data_ptr() for parameter in body.parameters()]
    reinitialise(body, Seeds(1))
    assert [parameter.data_ptr() for parameter in body.parameters()] == before


def test_the_global_generator_is_neither_read_nor_moved() -> None:
    network = networks.build("vit", {"width": 16, "depth": 1, "hidden": 16})
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = build_network(network, CIFAR, Seeds(0), "cpu")
    reinitialise(first, Seeds(0))
    forward_flops(network, 3, 20, 10)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert same(state(build_network(network, CIFAR, Seeds(0), "cpu")), state(first))


def test_default_initialisation_is_that_of_torch() -> None:
    body = build_network(networks.build("convnet"), CIFAR, Seeds(0), "cpu")
    bound = (128 * 9) ** -0.5
    weight = body.get_parameter("layers.4.weight")
    assert weight.abs().max() <= bound
    assert weight.std().item() == pytest.approx(bound / 3**0.5, rel=0.02)
    assert torch.equal(body.get_parameter("layers.1.weight"), torch.ones(128))


def test_forward_flops_of_convnet_3() -> None:
    # Multiply-adds of the three convolutions and the classifier, times two.
    expected = 2 * (32**2 * 27 * 128 + 16**2 * 128 * 9 * 128 + 8**2 * 128 * 9 * 128 + 2048 * 10)
    assert forward_flops(networks.build("convnet-3"), 3, 32, 10) == expected


@dataclass(frozen=True)
class CountedNetwork:
    width: int
    builds: ClassVar[list[int]] = []

    def build(self, channels: int, size: int, num_classes: int) -> nn.Module:
        self.builds.append(self.width)
        return nn.Sequential(nn.Flatten(), nn.Linear(channels * size * size, self.width))


def test_forward_flops_are_counted_once_for_equal_networks() -> None:
    assert forward_flops(CountedNetwork(5), 1, 8, 3) == 2 * 64 * 5
    assert forward_flops(CountedNetwork(5), 1, 8, 3) == 2 * 64 * 5
    assert forward_flops(CountedNetwork(6), 1, 8, 3) == 2 * 64 * 6
    assert CountedNetwork.builds == [5, 6]


def test_count_parameters() -> None:
    assert count_parameters(build_network(networks.build("mlp"), CIFAR, Seeds(0), "cpu")) == 411_146


class Bare(Body):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.classifier = nn.Linear(2, 2)


@dataclass(frozen=True)
class BareNetwork:
    def build(self, channels: int, size: int, num_classes: int) -> nn.Module:
        return Bare()


@dataclass(frozen=True)
class NoBody:
    def build(self, channels: int, size: int, num_classes: int) -> nn.Module:
        return nn.Linear(2, 2)


def test_parameters_that_cannot_be_drawn_anew_are_refused() -> None:
    with pytest.raises(BadInput, match=r"Bare .*reset_parameters"):
        build_network(BareNetwork(), CIFAR, Seeds(0), "cpu")


def test_a_module_that_is_no_body_is_refused() -> None:
    with pytest.raises(BadInput, match=r"Linear.*Body"):
        build_network(NoBody(), CIFAR, Seeds(0), "cpu")
