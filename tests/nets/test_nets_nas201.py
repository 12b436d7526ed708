from __future__ import annotations

import re
from typing import cast

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from stillproof.cli.options import split_list, with_params
from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo
from stillproof.nets.body import Body
from stillproof.nets.build import build_network, count_parameters, forward_flops
from stillproof.nets.nas201 import Mixture
from stillproof.nets.nas201_code import arch_digits, arch_text, operations_of
from stillproof.testing.check_network import check_network

BEST = "|nor_conv_3x3~0|+|nor_conv_3x3~0|nor_conv_3x3~1|+|skip_connect~0|nor_conv_3x3~1|nor_conv_1x1~2|"
MIXED = "|avg_pool_3x3~0|+|nor_conv_1x1~0|skip_connect~1|+|none~0|nor_conv_3x3~1|skip_connect~2|"
codes = st.text("01234", min_size=6, max_size=6)


def built(reference: str, channels: int = 3, size: int = 32, classes: int = 10) -> Body:
    info = DataInfo("toy", channels, size, classes, (0.5,) * channels, (0.25,) * channels, "none")
    return build_network(networks.build(reference), info, Seeds(0), "cpu")


@pytest.mark.parametrize(("text", "digits"), [(BEST, "333132"), (MIXED, "421031")])
def test_both_spellings_mean_the_same(text: str, digits: str) -> None:
    assert arch_digits(text) == digits and arch_text(digits) == text
    assert arch_digits(digits) == digits and arch_text(text) == text
    assert operations_of(text) == operations_of(digits)


@given(codes)
def test_the_text_names_every_edge_by_the_node_that_it_comes_from(digits: str) -> None:
    edges = [node.strip("|").split("|") for node in arch_text(digits).split("+")]
    assert [len(node) for node in edges] == [1, 2, 3]
    assert [edge.split("~")[1] for node in edges for edge in node] == ["0", "0", "1", "0", "1", "2"]
    assert tuple(edge.split("~")[0] for node in edges for edge in node) == operations_of(digits)
    assert arch_digits(arch_text(digits)) == digits


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "33313",
        "3331322",
        "333135",
        "33313\n",
        "\uff13\uff13\uff13\uff11\uff13\uff12",
        BEST.replace("skip_connect", "skip"),
        BEST.replace("nor_conv_1x1~2", "nor_conv_1x1~1"),
        BEST.replace("|+|", "||"),
        BEST[:-1],
        f" {BEST}",
        f"{BEST}+|none~0|",
    ],
)
def test_anything_else_is_refused_in_one_sentence(bad: str) -> None:
    with pytest.raises(ValueError, match="not an architecture of NAS-Bench-201"):
        operations_of(bad)
    with pytest.raises(BadInput, match=r"^network 'nas201': .*6 digits from 0 to 4\.$"):
        networks.build("nas201", {"arch": bad})


def test_an_architecture_is_one_question_however_it_is_written() -> None:
    written = [f"nas201:arch={BEST}", "nas201:arch=333132", with_params("nas201", [f"arch={BEST}"])]
    specs = [networks.spec(networks.build(reference)).as_dict() for reference in written]
    assert specs[0] == specs[1] == specs[2]
    assert specs[0]["params"] == {"arch": BEST, "width": 16, "cells": 1, "affine": True, "mixture": False}
    assert split_list(",".join(written[:2])) == written[:2], "survives in a list of the command line"


@pytest.mark.parametrize("setting", ["width=0", "cells=0", "cells=-1"])
def test_sizes_that_make_no_network_are_refused(setting: str) -> None:
    with pytest.raises(BadInput, match=f"{setting.partition('=')[0]} must be at least 1"):
        networks.build(f"nas201:{setting}")


@pytest.mark.parametrize(
    ("digits", "classes", "parameters", "megaflops"),
    [
        # The extremes of the published benchmark, in millions: 0.073306 and 1.531546 parameters on CIFAR-10,
        # 0.079156 and 1.537396 on CIFAR-100. It counts multiply-adds, and the bias of the classifier too.
        ("000000", 10, 73_306, 7.78305),
        ("333333", 10, 1_531_546, 220.11969),
        ("141414", 100, 79_156, 7.7889),
        ("333333", 100, 1_537_396, 220.12554),
    ],
)
def test_size_and_work_are_those_of_the_published_benchmark(
    digits: str, classes: int, parameters: int, megaflops: float
) -> None:
    reference = f"nas201:arch={digits}:cells=5"
    assert count_parameters(built(reference, classes=classes)) == parameters
    work = forward_flops(networks.build(reference), 3, 32, classes) / 2 + classes
    assert work == pytest.approx(megaflops * 1e6, abs=1 + classes)


@given(codes, st.integers(1, 2), st.sampled_from([8, 16]), st.booleans())
@settings(max_examples=20)
def test_every_convolution_of_a_cell_adds_its_weights(digits: str, cells: int, width: int, affine: bool) -> None:
    settled = f":cells={cells}:width={width}:affine={affine}"
    empty = count_parameters(built(f"nas201:arch=000000{settled}", size=8))
    widths = (width, 2 * width, 4 * width)
    per_edge = {"2": 1, "3": 9}
    norms = 2 if affine else 0
    added = sum(per_edge[d] * w * w + norms * w for d in digits if d in per_edge for w in widths)
    assert count_parameters(built(f"nas201:arch={digits}{settled}", size=8)) == empty + cells * added


def test_without_affine_only_the_cells_lose_their_norms_weights() -> None:
    keys = built("nas201:arch=222222:affine=false").state_dict().keys()
    inside = [key for key in keys if ".edges." in key]
    assert inside and not any(re.search(r"\.2\.(weight|bias)$", key) for key in inside)
    assert sum(key.endswith(".2.weight") for key in keys if ".convolutions." in key) == 4


def norm(maps: Tensor, state: dict[str, Tensor], at: str) -> Tensor:
    mean, var = state[f"{at}.running_mean"], state[f"{at}.running_var"]
    return F.batch_norm(maps, mean, var, state[f"{at}.weight"], state[f"{at}.bias"])


def conv(maps: Tensor, state: dict[str, Tensor], at: str, stride: int = 1) -> Tensor:
    weight = state[f"{at}.1.weight"]
    return norm(F.conv2d(maps.relu(), weight, stride=stride, padding=weight.shape[-1] // 2), state, f"{at}.2")


def edge(digit: str, maps: Tensor, state: dict[str, Tensor], at: str) -> Tensor:
    if digit == "4":  # at the rim, the mean of those pixels that are there
        return F.avg_pool2d(maps, 3, 1, 1, count_include_pad=False)
    return conv(maps, state, at) if digit in "23" else maps * int(digit)


def cell(digits: str, a: Tensor, state: dict[str, Tensor], at: str) -> Tensor:
    b = edge(digits[0], a, state, f"{at}.edges.0")
    c = edge(digits[1], a, state, f"{at}.edges.1") + edge(digits[2], b, state, f"{at}.edges.2")
    from_a, from_b, from_c = (
        edge(digits[place], node, state, f"{at}.edges.{place}") for place, node in ((3, a), (4, b), (5, c))
    )
    return from_a + from_b + from_c


def reduction(maps: Tensor, state: dict[str, Tensor], at: str) -> Tensor:
    straight = F.conv2d(F.avg_pool2d(maps, 2), state[f"{at}.shortcut.1.weight"])
    return straight + conv(conv(maps, state, f"{at}.convolutions.0", 2), state, f"{at}.convolutions.1")


@given(codes)
@example("333132")
@example("000000")
@settings(max_examples=25)
def test_the_network_computes_what_its_description_says(digits: str) -> None:
    body = built(f"nas201:arch={digits}:width=4", channels=1, size=8, classes=3).double()
    generator = Seeds(1).torch()
    for name, value in body.state_dict().items():
        if "running" in name or name.endswith(("weight", "bias")):
            value.copy_(torch.rand(value.shape, generator=generator) - (0 if "running_var" in name else 0.3))
    images = torch.randn(2, 1, 8, 8, generator=generator, dtype=torch.float64)
    state = body.state_dict()
    maps = norm(F.conv2d(images, state["layers.0.weight"], padding=1), state, "layers.1")
    maps = reduction(cell(digits, maps, state, "layers.2"), state, "layers.3")
    maps = reduction(cell(digits, maps, state, "layers.4"), state, "layers.5")
    maps = norm(cell(digits, maps, state, "layers.6"), state, "layers.7").relu()
    expected = maps.flatten(2).mean(2)
    assert maps.shape == (2, 16, 2, 2)
    torch.testing.assert_close(body.eval().features(images), expected)
    logits = expected @ state["classifier.weight"].T + state["classifier.bias"]
    torch.testing.assert_close(body(images), logits)


@given(codes)
@example("000000")
@settings(max_examples=15)
def test_every_architecture_can_be_trained(digits: str) -> None:
    body = built(f"nas201:arch={digits}", channels=1, size=8)
    images = torch.randn(4, 1, 8, 8, generator=Seeds(2).torch())
    loss = F.cross_entropy(body(images), torch.arange(4))
    gradients = torch.autograd.grad(loss, list(body.parameters()))  # fails where a weight is not in the graph
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_an_architecture_that_carries_nothing_sees_nothing() -> None:
    body = built("nas201:arch=000000").eval()
    images = torch.randn(2, 3, 32, 32, generator=Seeds(3).torch())
    first, second = body(images)
    assert torch.equal(first, second)
    # The input reaches node 1 alone, and no edge leads on from there.
    dead = built("nas201:arch=300000").eval()
    assert torch.equal(*cast(tuple[Tensor, Tensor], dead(images).unbind()))


@pytest.mark.parametrize("size", [1, 7, 9, 15, 28, 33])
def test_odd_sizes_are_rounded_up_on_both_ways(size: int) -> None:
    assert built(f"nas201:arch={BEST}", size=size).eval()(torch.zeros(2, 3, size, size)).shape == (2, 10)


@pytest.mark.parametrize("reference", ["nas201", "nas201:arch=421031:cells=2:affine=false", "nas201:arch=000000"])
def test_it_keeps_the_contract_of_networks(reference: str) -> None:
    results = check_network(reference)
    assert results and [result.problem for result in results if not result.ok] == []


def test_the_mixture_of_the_original_has_its_weights_and_its_shares() -> None:
    body = networks.build("nas201:arch=333124:affine=false:mixture=true").build(3, 32, 10)
    assert sum(weight.numel() for weight in body.parameters()) == 395_866
    shares = [module.shares for module in body.modules() if isinstance(module, Mixture)]
    assert len(shares) == 3 * 6 and all(len(row) == 5 for row in shares)
    assert max(shares[0]) == pytest.approx(0.405, abs=1e-3) and min(shares[0]) == pytest.approx(0.149, abs=1e-3)
    narrow = networks.build("nas201:arch=333132:affine=false:mixture=true").build(3, 32, 10)
    four = next(module.shares for module in narrow.modules() if isinstance(module, Mixture))
    assert (
        len(four) == 4 and max(four) == pytest.approx(0.475, abs=1e-3) and min(four) == pytest.approx(0.175, abs=1e-3)
    )


def test_an_edge_of_the_mixture_is_the_weighted_sum_of_its_operations() -> None:
    edge = Mixture(chosen=3, known=5, width=2, affine=False).eval()
    maps = torch.randn(2, 2, 8, 8, generator=torch.Generator().manual_seed(0))
    weights = torch.tensor([0.0, 0.0, 0.0, 1.0, 0.0]).exp()
    weights = weights / weights.sum()
    expected = sum(w * operation(maps) for w, operation in zip(weights, edge.operations, strict=True))
    torch.testing.assert_close(edge(maps), expected)
