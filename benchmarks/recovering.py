"""A recover step of SRe2L against the authors' own loop, at 10 images per class of CIFAR's shape."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.distilling import IPC, context, random_images
from benchmarks.line import Line
from benchmarks.training import INFO
from benchmarks.turns import Turns
from stillproof.core.components import distillers, networks
from stillproof.core.seeds import Seeds
from stillproof.core.types import Taught
from stillproof.nets.build import build_network, forward_flops
from stillproof.nets.compiled import WORTH_COMPILING
from stillproof.train.model import TrainedModel
from stillproof.transforms.space import make_front

TEACHER = "convnet-3-bn"
TURNS = 8  # short ones


def recover_lines() -> Iterator[Line]:
    """Measure ``sre2l``: one update of all images, which go through ConvNet-3 with batch norms."""
    ctx, network = context(), networks.build(TEACHER)
    assert ctx.space is not None
    body = build_network(network, INFO, Seeds(0), "cpu").eval().requires_grad_(False)
    ctx.teachers = [TrainedModel(make_front(ctx.space), body)]
    ctx.taught = lambda classes: Taught(classes, ["noise"], 0, "nobody")
    flops = forward_flops(network, INFO.channels, INFO.size, INFO.num_classes)
    images = INFO.num_classes * IPC
    # As many steps as repay compiling, of which a few are made: real runs are long enough.
    steps = max(1000, round(WORTH_COMPILING / (2 * images * flops)) + 1)
    method: Any = distillers.build("sre2l", {"teacher": TEACHER, "steps": steps})
    turns = Turns(PlainRecovery(build_network(network, INFO, Seeds(0), "cpu"), method.r_bn, method.jitter).step)
    ctx.report = turns
    ctx.loop_shares = {"steps": (1 + TURNS) / steps}
    method.distill(random_images(), IPC, ctx)
    compiled = "" if ctx.notes["compiled"] else f"; NOT COMPILED: {ctx.notes.get('compile_error')}"
    how = f"an update of {images} images, median of {TURNS} turns, {torch.get_num_threads()} threads{compiled}"
    what = f"sre2l, {IPC} ipc"
    yield Line(f"{what}: step, times the plain loop's speed", turns.speed_up(), "x", how, "at least", 1.8)
    yield Line(f"{what}: step", median(turns.ours), "s", f"the plain loop takes {median(turns.theirs):.3g} s")
    share = turns.gemm_share(2 * images * flops, turns.ours)
    yield Line(f"{what}: step, share of the GEMM rate", share, "", turns.machine())


class PlainRecovery:
    """The authors' loop, eager: one image of each class at a time, with a hook at every batch norm."""

    def __init__(self, net: nn.Module, r_bn: float, jitter: int) -> None:
        """Start all images from noise."""
        self.net, self.r_bn, self.jitter = net.eval().requires_grad_(False), r_bn, jitter
        self.found: list[Tensor] = []
        for module in net.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.register_forward_hook(self._compare)
        self.images = [torch.randn(INFO.num_classes, 3, 32, 32, requires_grad=True) for _ in range(IPC)]
        self.optimisers = [torch.optim.Adam([images], lr=0.25, betas=(0.5, 0.9)) for images in self.images]

    def step(self) -> None:
        """Update every image once."""
        for images, optimiser in zip(self.images, self.optimisers, strict=True):
            shift = torch.randint(self.jitter + 1, (2,)).tolist()
            optimiser.zero_grad()
            self.found.clear()
            loss = F.cross_entropy(self.net(torch.roll(images, shift, (2, 3))), torch.arange(INFO.num_classes))
            loss = loss + self.r_bn * (torch.stack(self.found).sum() + 9 * self.found[0])
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            images.data.clamp_(-1, 1)

    def _compare(self, norm: nn.Module, given: tuple[Tensor, ...], _: Tensor) -> None:
        assert isinstance(norm, nn.BatchNorm2d) and norm.running_mean is not None and norm.running_var is not None
        maps = given[0].permute(1, 0, 2, 3).contiguous().reshape(given[0].shape[1], -1)
        gap = (norm.running_var - maps.var(1, unbiased=False)).norm() + (norm.running_mean - maps.mean(1)).norm()
        self.found.append(gap)
