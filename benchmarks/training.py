"""The training step of Stillproof against a plain eager loop, and against the machine's matrix multiplication."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

import torch
from torch import Tensor, nn

from benchmarks.line import Line
from benchmarks.turns import Turns
from stillproof.core.components import networks, recipes
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, Hard
from stillproof.nets.build import build_network, count_parameters, forward_flops
from stillproof.nets.compiled import WORTH_COMPILING
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.target_source import LabelTargets
from stillproof.train.train_data import TrainData

INFO = DataInfo("noise", 3, 32, 10, (0.5,) * 3, (0.5,) * 3, "none")
WARM_UP = 3  # passes that are not counted: the first one compiles


def training_lines(images: int, passes: int) -> Iterator[Line]:
    """Train ConvNet-3 on ``images`` random images as recipe dc-bench does, and measure ``passes`` passes."""
    recipe: Recipe = recipes.build("dc-bench", {"epochs": WARM_UP + passes})
    generator = torch.Generator().manual_seed(0)
    pixels = torch.randn(images, 3, 32, 32, generator=generator)
    labels = torch.randint(10, (images,), generator=generator)
    plain = plain_convnet()
    network = networks.build("convnet-3")
    body = build_network(network, INFO, Seeds(0), "cpu")
    assert sum(p.numel() for p in plain.parameters()) == count_parameters(body)
    turns = Turns(plain_pass(plain, pixels, labels, recipe), skip=WARM_UP)
    ctx = Context(seeds=Seeds(0), report=turns)
    flops = forward_flops(network, 3, 32, 10)
    work = 3 * flops * images  # of one pass; going backward costs two forward passes
    # So few passes would not repay compiling; say that they do, since real trainings are ten times longer.
    claimed = max(flops, WORTH_COMPILING / (3 * recipe.epochs * images))
    fit(
        TrainedModel(nn.Identity(), body),
        TrainData(lambda i: pixels[i], labels, INFO.num_classes, LabelTargets(Hard(labels), INFO.num_classes, "cpu")),
        recipe,
        ctx,
        flops=claimed,
    )
    how = f"median of {passes} passes in turns, {torch.get_num_threads()} threads"
    if not ctx.notes["compiled"]:
        how += f"; NOT COMPILED: {ctx.notes.get('compile_error')}"
    name = f"ConvNet-3, {images} images"
    yield Line(f"{name}: step, times the eager loop's speed", turns.speed_up(), "x", how, "at least", 1.8)
    share = turns.gemm_share(work, turns.ours)
    rate = f"{turns.machine()}, in the same turns"
    yield Line(f"{name}: step, share of the GEMM rate", share, "", rate, "at least", 0.6)
    eager_share = turns.gemm_share(work, turns.theirs)
    yield Line(f"{name}: eager loop, share of the GEMM rate", eager_share, "", "for comparison")
    compiling = turns.skipped[0] - median(turns.ours)
    yield Line(f"{name}: compiling", compiling, "s", "first pass; a few seconds once torch's cache on disk is warm")


def plain_convnet(*, batch_norm: bool = False) -> nn.Sequential:
    """Return ConvNet-3 written out, as the originals have it."""
    layers: list[nn.Module] = []
    for channels in (3, 128, 128):
        norm = nn.BatchNorm2d(128) if batch_norm else nn.GroupNorm(128, 128)
        layers += [nn.Conv2d(channels, 128, 3, padding=1), norm, nn.ReLU(True), nn.AvgPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(128 * 4 * 4, 10))


def plain_pass(net: nn.Module, pixels: Tensor, labels: Tensor, recipe: Recipe) -> Callable[[], None]:
    """Return one pass over the images, as the originals have it."""
    optimiser = torch.optim.SGD(
        net.parameters(), lr=recipe.lr, momentum=recipe.momentum, weight_decay=recipe.weight_decay
    )
    criterion = nn.CrossEntropyLoss()

    def one_pass() -> None:
        total = 0.0
        for index in torch.split(torch.randperm(len(labels)), recipe.batch):
            loss = criterion(net(pixels[index]), labels[index])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(index)

    return one_pass
