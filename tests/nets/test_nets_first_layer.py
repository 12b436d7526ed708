"""The first layer apart from the rest: together they are the network."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.nets.build import build_network
from stillproof.nets.first_layer import first_output, with_first_output
from stillproof.testing.toy import TOY

NAMES = [
    "convnet-2-bn:width=4",
    "convnet-1:width=4:norm=none",  # its activation changes what the first layer gave in place
    "mlp:width=16",
    "vit:width=8:depth=1:heads=2:head_width=4:hidden=8",
    "nas201:width=4",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_slope_behind_the_first_layer_and_that_layer_make_the_slope_at_the_images(name: str) -> None:
    body = build_network(networks.build(name), TOY, Seeds(0), "cpu").eval()
    images = torch.rand(4, 1, 8, 8, generator=Seeds(1).torch())
    here = images.clone().requires_grad_()
    whole = body(here)
    (wanted,) = torch.autograd.grad(whole.square().sum(), here)
    logits, given = with_first_output(body, images)
    assert torch.equal(logits, whole)
    (adjoint,) = torch.autograd.grad(logits.square().sum(), given)
    there = images.clone().requires_grad_()
    (found,) = torch.autograd.grad((first_output(body, there) * adjoint).sum(), there)
    assert wanted.abs().max() > 1e-4 and torch.allclose(found, wanted, rtol=1e-4, atol=1e-6)
    assert not any(module._forward_hooks for module in body.modules()), "nothing is left behind"


def test_only_the_first_layer_works_for_its_output() -> None:
    body = build_network(networks.build("convnet-2-bn:width=4"), TOY, Seeds(0), "cpu").train()
    before = {key: value.clone() for key, value in body.state_dict().items()}
    made = first_output(body, torch.rand(4, 1, 8, 8, generator=Seeds(1).torch()))
    assert made.shape == (4, 4, 8, 8)
    assert all(torch.equal(before[key], value) for key, value in body.state_dict().items()), "no norm was asked"


def test_without_weights_there_is_no_first_layer() -> None:
    with pytest.raises(BadInput, match="no layer of Flatten has weights"):
        first_output(nn.Flatten(), torch.zeros(1, 1, 2, 2))
