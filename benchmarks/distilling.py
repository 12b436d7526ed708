"""An outer step of the distillers against the papers' own loops, at 10 images per class of CIFAR's shape."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from statistics import median
from typing import Any

import torch

from benchmarks.line import Line
from benchmarks.plain_distilling import PlainLoop
from benchmarks.training import INFO
from benchmarks.turns import Turns
from stillproof.core.components import distillers, networks
from stillproof.core.context import Context
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, ImageSet, Space
from stillproof.distill.gradients.gradient_matching import GradientMatching
from stillproof.distill.learning.first_images import initial_images
from stillproof.nets.body import Body
from stillproof.nets.build import build_network, forward_flops
from stillproof.nets.compiled import WORTH_COMPILING
from stillproof.transforms.dsa import DSA
from stillproof.transforms.space import make_front

IPC = 10
REAL = 300  # images per class; more than a batch is all that matters
TURNS = 2
SAMPLE = 5  # epochs of a network's training that are measured at a time
TARGETS = {"dc": 1.5, "dsa": 1.5, "dm": 2.2}  # times the plain loop's speed


def gradient_lines(name: str) -> Iterator[Line]:
    """Measure ``dc`` or ``dsa``: one update of the images and the training of the network that follows it.

    The training is measured a few epochs at a time, and weighed as the published number of epochs.
    """
    data, ctx = random_images(), context()
    method: Any = distillers.build(name, preset_params(distillers.get(name), "paper", "cifar10", IPC))
    assert isinstance(method, GradientMatching)
    body = ctx.make_network()
    assert isinstance(body, Body)
    matcher, train = dataclasses.replace(method, inner_loop=SAMPLE).parts(body, data, IPC, ctx)
    images, labels = initial_images(data, IPC, ctx, method.init)
    optimiser = torch.optim.SGD([images], lr=method.step_size(body), momentum=method.momentum)

    def update() -> None:
        _, images.grad = matcher.loss_and_gradient(images, 0, 0)
        optimiser.step()

    plain = PlainLoop(data, IPC, method.batch_real, method.augment)
    updates, training = Turns(plain.match_gradients), Turns(lambda: plain.train_network(SAMPLE))
    updates.alternate(update, TURNS)
    training.alternate(lambda: train(images, labels, Seeds(0)), TURNS)
    step = _joined(updates, training, method.inner_loop / SAMPLE)
    images_passed = INFO.num_classes * (3 * method.batch_real + 9 * IPC) + 3 * method.inner_loop * len(images)
    how = f"an update and {method.inner_loop} epochs, {_how(ctx)}"
    yield from _lines(name, step, images_passed * ctx.forward_flops, how)
    training_share = method.inner_loop / SAMPLE * median(training.ours) / median(step.ours)
    yield Line(f"{name}: training's share of the time", training_share, "", "the rest is the update of the images")


def distribution_lines() -> Iterator[Line]:
    """Measure ``dm``: one update of the images under a new network."""
    data, ctx = random_images(), context()
    method: Any = distillers.build("dm", {"steps": 1 + TURNS})
    turns = Turns(PlainLoop(data, IPC, method.batch_real, DSA()).match_distributions)
    ctx.report = turns
    # So few steps would not repay compiling; say that they do, since real runs are a thousand times longer.
    flops, ctx.forward_flops = ctx.forward_flops, max(ctx.forward_flops, WORTH_COMPILING)
    method.distill(data, IPC, ctx)
    images_passed = INFO.num_classes * (method.batch_real + 3 * IPC)
    yield from _lines("dm", turns, images_passed * flops, f"an update, {_how(ctx)}")


def random_images() -> ImageSet:
    """Return noise of CIFAR's shape."""
    labels = torch.arange(INFO.num_classes).repeat(REAL)
    shape = (len(labels), INFO.channels, INFO.size, INFO.size)
    pixels = torch.randint(256, shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    return ImageSet(pixels, labels, INFO, "noise/train")


def context() -> Context:
    """Return what a distiller runs in, with ConvNet-3."""
    network, space = networks.build("convnet-3"), Space.normalised(INFO)
    return Context(
        seeds=Seeds(0),
        card=Card("", 1, {}, INFO.name, "noise/train", IPC, 0, "convnet-3", "none", 0),
        networks=lambda seeds: build_network(network, INFO, seeds, "cpu"),
        space=space,
        front=make_front(space),
        forward_flops=forward_flops(network, INFO.channels, INFO.size, INFO.num_classes),
    )


def _joined(first: Turns, second: Turns, times: float) -> Turns:
    """Return turns of one of the first and ``times`` of the second; their matrix multiplications are the mean."""
    joined = Turns(first.their_turn)
    joined.ours = [one + times * other for one, other in zip(first.ours, second.ours, strict=True)]
    joined.theirs = [one + times * other for one, other in zip(first.theirs, second.theirs, strict=True)]
    joined.products = [(one + other) / 2 for one, other in zip(first.products, second.products, strict=True)]
    return joined


def _lines(name: str, turns: Turns, work: float, how: str) -> Iterator[Line]:
    what = f"{name}, {IPC} ipc"
    yield Line(f"{what}: step, times the plain loop's speed", turns.speed_up(), "x", how, "at least", TARGETS[name])
    yield Line(f"{what}: step", median(turns.ours), "s", f"the plain loop takes {median(turns.theirs):.3g} s")
    yield Line(f"{what}: step, share of the GEMM rate", turns.gemm_share(work, turns.ours), "", turns.machine())


def _how(ctx: Context) -> str:
    compiled = "" if ctx.notes["compiled"] else f"; NOT COMPILED: {ctx.notes.get('compile_error')}"
    return f"median of {TURNS} turns, {torch.get_num_threads()} threads{compiled}"
