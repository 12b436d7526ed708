from __future__ import annotations

from pathlib import Path

import pytest
import torch
from distill_setups import with_embedding
from hypothesis import given, settings
from hypothesis import strategies as st

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Distilled, Hard, Space
from stillproof.distill.grids.grid import Form, cell_by_cell, pack_grids
from stillproof.distill.k_center import KCenter, k_center_positions
from stillproof.distill.learning.first_images import Init, initial_images
from stillproof.distill.random import RandomImages, random_positions
from stillproof.nets.build import build_network
from stillproof.run.plan import Planner
from stillproof.suites.requests import distilled, real_images
from stillproof.testing.toy import TOY, toy_images
from stillproof.transforms.decode import decode_images, decode_labels
from stillproof.transforms.space import make_front


def context(seed: int = 0) -> Context:
    space = Space.normalised(TOY)
    card = Card("test", 1, {}, "toy", "toy", 2, seed, "none", "", 0)
    network = networks.build("convnet-2:width=8")
    return Context(
        seeds=Seeds(seed),
        card=card,
        networks=lambda seeds: build_network(network, TOY, seeds, "cpu"),
        space=space,
        front=make_front(space),
    )


@given(st.integers(1, 3), st.integers(1, 3), st.integers(2, 13), st.integers(2, 13))
@settings(max_examples=30, deadline=None)
def test_plain_images_come_back_in_their_order(grids: int, channels: int, height: int, width: int) -> None:
    shades = torch.arange(4.0 * grids * channels).reshape(4 * grids, channels, 1, 1)
    images = shades.expand(-1, -1, height, width)
    packed = pack_grids(images)
    assert packed.shape == (grids, channels, height, width)
    torch.testing.assert_close(decode_images(packed, "grid2x2"), images)


def test_cells_are_averages_of_two_by_two_pixels_in_their_places() -> None:
    images = torch.randn(8, 3, 6, 10, generator=Seeds(0).torch())
    packed = pack_grids(images)
    for cell, (down, right) in enumerate([(0, 0), (3, 0), (0, 5), (3, 5)]):
        for number in range(2):
            blocks = images[2 * cell + number].reshape(3, 3, 2, 5, 2).mean((2, 4))
            torch.testing.assert_close(packed[number, :, down : down + 3, right : right + 5], blocks)


def test_odd_images_leave_their_last_row_and_column_empty() -> None:
    packed = pack_grids(torch.ones(4, 1, 7, 5))
    assert packed.shape == (1, 1, 7, 5)
    assert bool((packed[:, :, :6, :4] == 1).all())
    assert float(packed[:, :, 6].abs().sum() + packed[..., 4].abs().sum()) == 0


def test_an_image_of_one_pixel_is_refused() -> None:
    with pytest.raises(BadInput, match="1 x 1 pixels are too small"):
        pack_grids(torch.ones(4, 1, 1, 1))


def check_cells(made: Distilled, chosen: torch.Tensor) -> None:
    """Every class's grids hold the chosen images of that class, each once, at half size."""
    data, front = toy_images(), make_front(made.space)
    halves = torch.nn.functional.avg_pool2d(front(data.read(chosen)), 2)
    top, bottom = made.images[:, :, :4], made.images[:, :, 4:]
    cells = torch.cat([top[..., :4], bottom[..., :4], top[..., 4:], bottom[..., 4:]])
    labels = decode_labels(made.labels, "grid2x2")
    assert isinstance(labels, Hard)
    distance = (cells[:, None] - halves[None]).abs().amax((2, 3, 4))
    assert float(distance.min(1).values.max()) < 1e-6
    matched = distance.argmin(1)
    assert sorted(matched.tolist()) == list(range(len(chosen)))
    assert labels.values.tolist() == data.labels[chosen][matched].tolist()


def test_random_grids_hold_four_times_as_many_images_in_the_same_bytes() -> None:
    single, grids = (RandomImages(form=form).distill(toy_images(), 2, context()) for form in ("single", "grid2x2"))
    assert grids.images.shape == single.images.shape and grids.card.bytes == single.card.bytes
    assert (single.decode, grids.decode) == ("none", "grid2x2")
    assert torch.equal(grids.labels.values, single.labels.values)
    check_cells(grids, random_positions(toy_images(), 8, context()))


def test_k_center_grids_hold_the_images_of_four_times_as_many_centres() -> None:
    grids = KCenter(embedding="pixels", form="grid2x2").distill(toy_images(), 2, context())
    assert grids.decode == "grid2x2"
    check_cells(grids, k_center_positions(toy_images(), 8, context(), "pixels", 10))


def test_the_single_form_chooses_what_it_always_chose() -> None:
    made = RandomImages().distill(toy_images(), 2, context())
    expected = make_front(made.space)(toy_images().read(random_positions(toy_images(), 2, context())))
    assert torch.equal(made.images, expected)


@pytest.mark.parametrize("form", ["single", "grid2x2"])
@pytest.mark.parametrize("init", ["noise", "real", "k-center"])
def test_every_start_has_every_form(init: Init, form: Form) -> None:
    images, labels = initial_images(toy_images(), 2, with_embedding(context()), init, form)
    assert images.shape == (6, 1, 8, 8)
    assert labels.tolist() == [0, 0, 1, 1, 2, 2]


def test_real_grids_to_start_from_need_no_more_than_ipc_images_per_class() -> None:
    images, _ = initial_images(toy_images(), 12, context(), "real", "grid2x2")
    quadrants = decode_images(images, "grid2x2").reshape(4, 3 * 12, -1)
    assert not torch.equal(quadrants[0], quadrants[1])  # the cells are drawn apart


def test_grids_that_need_more_images_than_a_class_has_are_refused(tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    for method in ("random:form=grid2x2", "k-center:form=grid2x2", "idm:init=k-center"):
        with pytest.raises(BadInput, match=r"ipc = 50 .* class of digits has 139 images, and this method needs 200\.$"):
            planner.plan(distilled(real_images("digits"), method, 50, 0))
    assert planner.plan(distilled(real_images("digits"), "idm", 50, 0)).stage == "distill"


def test_positions_go_cell_by_cell() -> None:
    # Two classes of eight: each class's first two images are its top left cells.
    assert cell_by_cell(torch.arange(16), 2).tolist() == [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]
