from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.seeds import Seeds

paths = st.lists(st.text(max_size=5) | st.integers(0, 99), max_size=4).map(tuple)


def draw(seeds: Seeds) -> Tensor:
    return torch.rand(8, generator=seeds.torch())


def test_the_same_name_gives_the_same_numbers() -> None:
    assert torch.equal(draw(Seeds(3).child("init")), draw(Seeds(3).child("init")))
    assert np.array_equal(Seeds(3).child("init").numpy().random(8), Seeds(3).child("init").numpy().random(8))


def test_drawing_from_one_stream_leaves_the_others_alone() -> None:
    seeds = Seeds(0)
    expected = draw(seeds.child("b"))
    draw(seeds.child("a"))
    draw(seeds)
    assert torch.equal(draw(seeds.child("b")), expected)


@given(st.integers(0, 5), st.integers(0, 5), paths, paths)
def test_streams_are_equal_only_if_seed_and_name_are(one: int, other: int, path: tuple[str], path2: tuple[str]) -> None:
    same = (one, path) == (other, path2)
    assert (Seeds(one).child(*path).integer() == Seeds(other).child(*path2).integer()) == same


@pytest.mark.parametrize(
    ("one", "other"), [(("ab", "c"), ("a", "bc")), (("1",), (1,)), ((1, 2), (12,)), (("a",), ("a", "a")), ((0,), ())]
)
def test_names_that_look_alike_are_different_streams(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> None:
    assert not torch.equal(draw(Seeds(0).child(*one)), draw(Seeds(0).child(*other)))


def test_a_child_of_a_child_is_a_longer_path() -> None:
    assert Seeds(0).child("a").child(1, "b") == Seeds(0).child("a", 1, "b")


@given(st.integers(), paths)
def test_every_seed_fits_a_generator(root: int, path: tuple[str]) -> None:
    assert 0 <= Seeds(root).child(*path).integer() < 2**63
    draw(Seeds(root).child(*path))


def test_streams_never_change() -> None:
    # If this fails, every published number that came from a seed can no longer be made again.
    stream = Seeds(0).child("train", "epoch", 3)
    assert stream.integer() == 7364133522135926523
    assert torch.randperm(5, generator=stream.torch()).tolist() == [1, 3, 2, 0, 4]
    assert stream.numpy().integers(0, 100, 3).tolist() == [86, 88, 35]


def test_torch_is_lent_the_stream_and_gets_its_own_back() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    with Seeds(1).child("dropout").lent_to_torch():
        lent = torch.rand(8)
    assert torch.equal(lent, draw(Seeds(1).child("dropout")))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(torch.rand(3), expected)


def test_torch_gets_its_own_back_after_an_error_too() -> None:
    before = torch.get_rng_state()
    with pytest.raises(ZeroDivisionError), Seeds(1).lent_to_torch():
        torch.rand(1)
        _ = 1 / 0
    assert torch.equal(torch.get_rng_state(), before)
