from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch
from distill_setups import with_embedding
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.utils import vector_to_parameters

from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Hard, Space
from stillproof.distill.choosing.embeddings import embedded
from stillproof.distill.herding import herd
from stillproof.distill.k_center import KCenter, k_center_positions
from stillproof.distill.k_center_greedy import greedy_centres
from stillproof.distill.random import RandomImages, random_positions
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.run.plan import Planner
from stillproof.suites.requests import distilled, real_images
from stillproof.testing.toy import TOY, toy_images
from stillproof.transforms.space import make_front


def context(seed: int = 0) -> Context:
    space = Space.normalised(TOY)
    card = Card("test", 1, {}, "toy", "toy", 2, seed, "none", "", 0)
    return Context(seeds=Seeds(seed), card=card, space=space, front=make_front(space))


def cloud(points: int, seed: int = 0) -> Tensor:
    return torch.randn(points, 3, generator=Seeds(seed).torch())


@given(st.integers(2, 20), st.integers(0, 100), st.data())
@settings(max_examples=30, deadline=None)
def test_selections_never_take_a_point_twice(points: int, seed: int, data: st.DataObject) -> None:
    ipc = data.draw(st.integers(1, points))
    for choose in (herd, greedy_centres):
        chosen = choose(cloud(points, seed), ipc, 0).tolist()
        assert len(set(chosen)) == ipc
        assert set(chosen) <= set(range(points))


def test_twins_can_all_be_chosen() -> None:
    twins = torch.ones(5, 3)
    for choose in (herd, greedy_centres):
        assert sorted(choose(twins, 5, 0).tolist()) == [0, 1, 2, 3, 4]


def test_herding_makes_the_best_next_choice() -> None:
    points = cloud(8)
    chosen = herd(points, 3, 0).tolist()
    for count in (1, 2, 3):
        before, taken = chosen[: count - 1], chosen[count - 1]
        others = [p for p in range(8) if p not in before]
        distance = {p: float((points[[*before, p]].mean(0) - points.mean(0)).norm()) for p in others}
        assert min(distance, key=lambda p: distance[p]) == taken


def test_greedy_centres_start_at_the_mean_and_cover() -> None:
    points = cloud(12)
    chosen = greedy_centres(points, 4, 0).tolist()
    assert chosen[0] == int((points - points.mean(0)).norm(dim=1).argmin())
    for count in (1, 2, 3):
        distance = torch.cdist(points, points[chosen[:count]]).min(1).values
        assert chosen[count] == int(distance.argmax())
    # The greedy cover is at most twice the best one.
    radius = float(torch.cdist(points, points[chosen]).min(1).values.max())
    best = min(
        float(torch.cdist(points, points[list(c)]).min(1).values.max()) for c in itertools.combinations(range(12), 4)
    )
    assert radius <= 2 * best + 1e-5


def test_k_center_finds_one_image_of_each_cluster() -> None:
    data = toy_images()
    images = torch.zeros(36, 1, 8, 8, dtype=torch.uint8)
    # Within each class, images 0 to 11 form three clusters of four by brightness.
    for label in range(3):
        for rank, position in enumerate(data.of_class(label).tolist()):
            images[position] = 20 + 90 * (rank % 3) + rank
    clustered = type(data)(images, data.labels, data.info, data.id)
    chosen = k_center_positions(clustered, 3, context(), "pixels", 10)
    for label in range(3):
        members = clustered.of_class(label).tolist()
        ranks = [members.index(p) % 3 for p in chosen.tolist() if p in members]
        assert sorted(ranks) == [0, 1, 2]


def with_network(network: str, seed: int = 0) -> Context:
    ctx = context(seed)
    ctx.networks = lambda seeds: build_network(networks.build(network), TOY, seeds, "cpu")
    return with_embedding(ctx)


def test_k_center_on_embeddings_differs_from_pixels() -> None:
    on_network = KCenter().distill(toy_images(), 2, with_network("convnet-2:width=8"))
    on_pixels = KCenter(embedding="pixels").distill(toy_images(), 2, context())
    assert not torch.equal(on_network.images, on_pixels.images)


@pytest.mark.parametrize("norm", ["instance", "batch"])
def test_points_are_the_features_of_the_expert_with_statistics_of_all_images(norm: str) -> None:
    ctx, data = with_network(f"convnet-2:width=8:norm={norm}"), toy_images()
    body = ctx.make_network("another").train()
    assert isinstance(body, Body)
    vector_to_parameters(ctx.embedding[0][-1], body.parameters())
    with torch.no_grad():
        together = body.features(
            ctx.into_space(data.read(slice(None)))
        )  # one batch of all images: their own statistics
    points = torch.empty_like(together)
    for _, index, found in embedded(data, ctx, "network"):
        points[index] = found
    # Running variances are unbiased, those of a batch are not.
    rtol, atol = (1e-5, 1e-5) if norm == "instance" else (2e-2, 1e-3)
    torch.testing.assert_close(points, together, rtol=rtol, atol=atol)


@pytest.mark.parametrize("method", ["dm", "dc", "dsa", "mtt", "kip", "idm", "bacon", "datadam"])
def test_a_start_at_central_images_shares_the_network_that_k_center_chooses_by(tmp_path: Path, method: str) -> None:
    planner = Planner(tmp_path)
    for reference in ("k-center", f"{method}:init=k-center"):
        planner.plan(distilled(real_images("digits"), reference, 1, 3, "convnet-2:width=8", "smoke"))
    central, started = (cell.spec for cell in planner.cells.values() if cell.stage == "distill")
    assert central["embedding"] == started["embedding"] and len(central["embedding"]) == 1
    other = distilled(real_images("digits"), f"{method}:init=real", 1, 3, "convnet-2:width=8")
    assert "embedding" not in planner.plan(other).spec


def test_random_images_are_real_ones_of_the_right_class() -> None:
    data = toy_images()
    made = RandomImages().distill(data, 2, context())
    assert isinstance(made.labels, Hard)
    assert made.labels.values.tolist() == [0, 0, 1, 1, 2, 2]
    front = make_front(made.space)
    for image, label in zip(front.inverse(made.images), made.labels.values, strict=True):
        distance = (data.read(slice(None)) - image).abs().amax((1, 2, 3))
        assert float(distance.min()) < 1e-5
        assert data.labels[int(distance.argmin())] == label


def test_random_seeds_differ_and_repeat() -> None:
    data = toy_images()
    assert random_positions(data, 3, context(0)).tolist() == random_positions(data, 3, context(0)).tolist()
    assert random_positions(data, 3, context(0)).tolist() != random_positions(data, 3, context(1)).tolist()
