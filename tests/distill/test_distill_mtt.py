from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F
from torch.nn.utils import parameters_to_vector

from stillproof.core.components import distillers, networks
from stillproof.core.errors import BadInput, CellFailed
from stillproof.core.needs import Needs, needs_of
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.distill.mtt import TrajectoryMatching
from stillproof.distill.trajectories.flat_network import FlatNetwork
from stillproof.distill.trajectories.unrolled import Batch, unrolled_match
from stillproof.nets.build import build_network
from stillproof.session import Session
from stillproof.testing.toy import TOY
from stillproof.transforms.dsa import DSA

NETWORKS = [
    "convnet-3:width=4",
    "convnet-3-bn:width=4",
    "convnet-3:width=4:norm=layer",
    "convnet-3:width=4:norm=group",
    "mlp",
    "vit:depth=1:dropout=0",
]


def changed(number: int, images: Tensor) -> Tensor:
    return DSA()(images, Seeds(number).torch())


def problem(body: nn.Module) -> tuple[Tensor, Tensor, Tensor, list[Batch], Tensor, Tensor]:
    torch_seed = Seeds(3).torch()
    images = torch.randn(6, 1, 8, 8, generator=torch_seed, dtype=torch.float64)
    labels = torch.arange(3).repeat_interleave(2)
    start = parameters_to_vector(body.parameters()).detach()
    goal = start + 0.1 * torch.randn(len(start), generator=torch_seed, dtype=torch.float64)
    parts = [torch.arange(6), torch.tensor([4, 0, 2]), torch.tensor([1, 3, 5])]
    batches = [Batch(part, partial(changed, number), contextlib.nullcontext) for number, part in enumerate(parts)]
    return images, labels, torch.tensor(0.3, dtype=torch.float64), batches, start, goal


def as_the_paper_does(
    body: nn.Module, images: Tensor, labels: Tensor, lr: Tensor, batches: list[Batch], start: Tensor, goal: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Keep the whole graph and differentiate through it."""
    images, lr = images.clone().requires_grad_(), lr.clone().requires_grad_()
    names, shapes = zip(*((name, value.shape) for name, value in body.named_parameters()), strict=True)
    theta = start.clone().requires_grad_()
    for batch in batches:
        parts = torch.split(theta, [shape.numel() for shape in shapes])
        weights = {n: p.view(s) for n, p, s in zip(names, parts, shapes, strict=True)}
        logits = functional_call(body, weights, (batch.augment(images[batch.index]),))
        (gradient,) = torch.autograd.grad(F.cross_entropy(logits, labels[batch.index]), [theta], create_graph=True)
        theta = theta - lr * gradient
    loss = (theta - goal).square().sum() / (start - goal).square().sum()
    by_images, by_lr = torch.autograd.grad(loss, [images, lr])
    return loss, by_images, by_lr


@pytest.mark.parametrize("name", NETWORKS)
def test_the_gradient_equals_that_of_the_whole_graph(name: str) -> None:
    body = build_network(networks.build(name), TOY, Seeds(1), "cpu").double().train()
    images, labels, lr, batches, start, goal = problem(body)
    loss, by_images, by_lr = as_the_paper_does(body, images, labels, lr, batches, start, goal)
    network = FlatNetwork(body, flops=0.0, notes={})
    found = unrolled_match(network, images, labels, lr, batches, start=start, goal=goal, exact=True)
    torch.testing.assert_close(found.loss, loss)
    torch.testing.assert_close(found.images, by_images)
    torch.testing.assert_close(found.lr, by_lr)


def test_tesla_is_exact_for_the_last_step_and_approximate_before() -> None:
    body = build_network(networks.build("convnet-3:width=4"), TOY, Seeds(1), "cpu").double()
    images, labels, lr, batches, start, goal = problem(body)
    network = FlatNetwork(body, flops=0.0, notes={})

    def gradient(steps: int, exact: bool) -> Tensor:
        found = unrolled_match(network, images, labels, lr, batches[:steps], start=start, goal=goal, exact=exact)
        return found.images

    torch.testing.assert_close(gradient(1, True), gradient(1, False))
    whole, approximate = gradient(3, True).flatten(), gradient(3, False).flatten()
    assert 0.8 < F.cosine_similarity(whole, approximate, dim=0) < 0.9999


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session(f"sqlite:///{tmp_path / 's.db'}")
    with opened.store:
        yield opened


def made(session: Session, stage: str) -> int:
    return sum(session.store.results.counts().get(stage, {}).values())


def test_experts_are_cells_that_sets_of_all_seeds_share(session: Session) -> None:
    network = "convnet-3:width=4"
    first = session.distill("digits", "mtt", 1, network=network, scale="smoke")
    assert made(session, "expert") == 2
    second = session.distill("digits", "mtt", 1, seed=1, network=network, scale="smoke")
    assert made(session, "expert") == 2 and second.artifact != first.artifact
    session.distill("digits", "mtt:zca=true", 1, network=network, scale="smoke")
    assert made(session, "expert") == 4 and made(session, "zca") == 1


def test_images_may_be_normalised_as_those_of_another_set(session: Session) -> None:
    network, method = "convnet-3:width=4", "mtt:normalised_as=mnist:init=k-center"
    result = session.distill("digits", method, 1, network=network, scale="smoke")
    space = session.store.artifacts.read(result.artifact).card["space"]
    assert (space["kind"], tuple(space["mean"]), tuple(space["std"])) == ("normalised", (0.1307,), (0.3081,))
    assert made(session, "expert") == 3  # two, and one to choose the first images by
    session.distill("digits", "mtt:init=k-center", 1, network=network, scale="smoke")
    assert made(session, "expert") == 6, "networks that saw other numbers are others"
    with pytest.raises(BadInput, match="digits cannot be normalised as cifar10"):
        session.distill("digits", "mtt:normalised_as=cifar10", 1, network=network, scale="smoke")


def test_cifar100_is_normalised_as_cifar10_unless_it_is_whitened() -> None:
    for ipc, expected in ((1, Needs(whitening="usual")), (10, Needs(normalised_as="cifar10"))):
        method = distillers.build("mtt", preset_params(distillers.get("mtt"), "paper", "cifar100", ipc))
        found = needs_of(method)
        assert (found.whitening, found.normalised_as) == (expected.whitening, expected.normalised_as)


def test_the_learned_step_size_becomes_the_recipe(session: Session) -> None:
    result = session.distill("digits", "mtt:lr_lr=1e-6", 1, network="convnet-3:width=4", scale="smoke")
    recipe = session.store.artifacts.read(result.artifact).card["recipe"]
    assert recipe["name"] == "dc-bench-dsa"
    assert recipe["params"]["lr"] == result.result["history"][-1]["lr"] != 0.01


def test_a_snapshot_has_the_step_size_of_its_own_step(session: Session) -> None:
    made = session.distill("digits", "mtt:lr_lr=1e-6", 1, network="convnet-3:width=4", scale="smoke", snapshots=[0, 2])
    cards = {step: session.store.artifacts.read(artifact).card for step, artifact in made.result["snapshots"].items()}
    assert cards["0"]["recipe"]["params"]["lr"] == pytest.approx(0.01)
    assert cards["2"]["recipe"]["params"]["lr"] == made.result["history"][1]["lr"]


def test_an_exploding_step_size_is_caught(session: Session) -> None:
    with pytest.raises(CellFailed, match="diverged: the learned step size is"):
        session.distill("digits", "mtt:lr_lr=1000000", 1, network="convnet-3:width=4", scale="smoke")
    method = "mtt:lr_lr=1000000:on_divergence=shrink:steps=5"
    result = session.distill("digits", method, 1, network="convnet-3:width=4", scale="smoke")
    assert [retreat["step"] for retreat in result.result["notes"]["retreats"]]


@pytest.mark.parametrize(
    ("dataset", "ipc", "expected"),
    [
        ("cifar10", 1, {"syn_steps": 50, "max_start": 2, "lr": 100.0, "lr_lr": 1e-7, "lr_start": 0.01, "zca": True}),
        ("cifar10", 10, {"syn_steps": 30, "max_start": 20, "lr": 100.0, "lr_start": 0.001, "zca": True}),
        ("cifar10", 50, {"syn_steps": 30, "max_start": 40, "lr": 1000.0, "zca": False}),
        ("cifar100", 1, {"syn_steps": 20, "expert_epochs": 3, "lr": 1000.0, "lr_lr": 1e-5}),
        ("cifar100", 50, {"syn_steps": 80, "batch_syn": 125, "zca": True}),
        ("tiny_imagenet", 10, {"syn_steps": 20, "max_start": 40, "batch_syn": 200}),
        ("imagenette", 1, {"syn_steps": 20, "max_start": 10, "lr": 1000.0, "lr_lr": 1e-6, "lr_start": 0.01}),
        ("imagewoof", 10, {"syn_steps": 20, "max_start": 10, "lr_lr": 1e-6, "batch_syn": 20}),
        ("mnist", 7, {"syn_steps": 50, "zca": False}),
    ],
)
def test_published_settings(dataset: str, ipc: int, expected: dict[str, object]) -> None:
    method: Any = distillers.build("mtt", preset_params(TrajectoryMatching, "paper", dataset, ipc))
    assert {key: getattr(method, key) for key in expected} == expected
    assert method.needs.experts is not None and method.needs.experts.count == 100
