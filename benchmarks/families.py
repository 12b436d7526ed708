"""Every family of networks in the four ways to run it: eager or compiled, all images at once or in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

import torch
from torch import Tensor
from torch.nn import functional as F

from benchmarks.line import Line
from benchmarks.training import INFO
from benchmarks.turns import seconds
from stillproof.core.components import networks
from stillproof.core.seeds import Seeds
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.nets.chunks import WORKING_SET, chunk_size

FAMILIES = ("convnet-3", "alexnet", "lenet", "mlp", "vgg-11", "resnet-18", "vit", "nas201", "efficientnet-b0")
TRAINED, TESTED = 100, 500  # images
TURNS = 5


def family_lines(network: str) -> Iterator[Line]:
    """Measure a training step and a test of one network; the usual way of everybody is eager and whole."""
    usual: tuple[float, float] | None = None
    for compiled in (False, True):
        for in_chunks in (False, True):
            body = build_network(networks.build(network), INFO, Seeds(0), "cpu")
            most = max(1, WORKING_SET // (4 * body.largest_map)) if in_chunks else TESTED
            first, step, test = _measure(body, compiled, most)
            usual = usual or (step, test)
            way = f"{'compiled' if compiled else 'eager'}, {f'{most} at once' if in_chunks else 'whole'}"
            told = f"step {1000 * step:.0f} ms, test {1000 * test:.0f} ms ({usual[1] / test:.2f}x), first {first:.1f} s"
            best = "; runs eager and whole" if body.best_as_it_is else ""
            yield Line(f"{network}, {way}: step, times the usual way", usual[0] / step, "x", told + best)


def _measure(body: Body, compiled: bool, most: int) -> tuple[float, float, float]:
    """Return seconds of both first times, of a step and of a test."""
    torch.compiler.reset()
    images, labels = torch.randn(TRAINED, 3, 32, 32), torch.arange(TRAINED) % 10
    shown = torch.randn(TESTED, 3, 32, 32)
    optimiser = torch.optim.SGD(body.parameters(), lr=0.01, momentum=0.9)
    ask: Callable[[Tensor], Tensor] = body
    if compiled:
        body.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        fast = torch.compile(body.forward, dynamic=False, fullgraph=True)
        ask = lambda part: fast(part.contiguous(memory_format=torch.channels_last))  # noqa: E731

    def step() -> None:
        optimiser.zero_grad(set_to_none=True)
        size = chunk_size(TRAINED, most)
        for part, truth in zip(torch.split(images, size), torch.split(labels, size), strict=True):
            (F.cross_entropy(ask(part), truth) * (len(part) / TRAINED)).backward()  # type: ignore[no-untyped-call]
        optimiser.step()

    @torch.no_grad()
    def test() -> None:
        for part in torch.split(shown, chunk_size(TESTED, most)):
            ask(part)

    body.train()
    first = seconds(step)
    steps = [seconds(step) for _ in range(TURNS)]
    body.eval()
    first += seconds(test)
    return first, median(steps), median(seconds(test) for _ in range(TURNS))
