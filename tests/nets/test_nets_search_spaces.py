from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fresh_python import run_python
from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.nets.nas201 import Nas201
from stillproof.nets.nas201_code import arch_digits
from stillproof.nets.search_spaces import convnet_networks, nas201_digits, nas201_networks, nas201_texts, sample

TEXTS, NETWORKS = nas201_texts(), nas201_networks()


def test_nas_bench_201_has_15625_architectures() -> None:
    digits = nas201_digits()
    assert len(set(digits)) == len(digits) == 15_625
    assert digits == [f"{base_five(number):06d}" for number in range(15_625)]
    assert len(set(TEXTS)) == 15_625
    assert [arch_digits(TEXTS[place]) for place in (0, 7, 15_624)] == ["000000", "000012", "444444"]


def base_five(number: int) -> int:
    return number if number < 5 else 10 * base_five(number // 5) + number % 5


@given(st.integers(0, 15_624))
@settings(max_examples=20)
def test_members_of_nas_bench_201_are_networks(place: int) -> None:
    built = networks.build(NETWORKS[place])
    assert isinstance(built, Nas201)
    assert built == Nas201(arch=TEXTS[place])


def test_dc_searches_720_different_convnets() -> None:
    references = convnet_networks()
    assert len(references) == 4 * 4 * 5 * 3 * 3 == 720
    specs = [networks.spec(networks.build(reference)).as_dict()["params"] for reference in references]
    assert len({str(spec) for spec in specs}) == 720
    choices: dict[str, set[int | str]] = {
        "depth": {1, 2, 3, 4},
        "width": {32, 64, 128, 256},
        "norm": {"none", "batch", "layer", "instance", "group"},
        "activation": {"sigmoid", "relu", "leaky-relu"},
        "pooling": {"none", "max", "avg"},
    }
    for key, values in choices.items():
        assert Counter(spec[key] for spec in specs) == dict.fromkeys(values, 720 // len(values))


@given(st.integers(1, 100), st.integers(0, 1000))
def test_a_sample_is_of_different_members_and_the_beginning_of_a_larger_one(count: int, seed: int) -> None:
    space = [str(number) for number in range(100)]
    chosen = sample(space, count, Seeds(seed).child("architectures"))
    assert len(set(chosen)) == count and set(chosen) <= set(space)
    assert chosen == sample(space, 100, Seeds(seed).child("architectures"))[:count]


def test_every_member_is_as_likely_as_any_other() -> None:
    drawn = Counter(name for seed in range(2000) for name in sample("abcdefghij", 3, Seeds(seed)))
    # 600 expected of each, with a standard deviation of 20.
    assert len(drawn) == 10 and all(500 < times < 700 for times in drawn.values())


@pytest.mark.parametrize("count", [0, -1, 721])
def test_a_sample_that_does_not_exist_is_refused(count: int) -> None:
    with pytest.raises(BadInput, match=f"a sample of {count} architectures is not possible: there are only 720"):
        sample(convnet_networks(), count, Seeds(0))


def test_naming_architectures_needs_no_torch() -> None:
    run_python("import sys, stillproof.nets.search_spaces\nassert 'torch' not in sys.modules")
