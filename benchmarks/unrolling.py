"""An outer step of trajectory matching against the paper's own loop, and its memory as the unrolled steps grow."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
from collections.abc import Iterator
from statistics import median

import torch
from torch import Tensor, nn
from torch.func import functional_call

from benchmarks.line import Line
from benchmarks.training import INFO, plain_convnet
from benchmarks.turns import Turns
from stillproof.core.components import networks
from stillproof.core.seeds import Seeds
from stillproof.distill.trajectories.flat_network import FlatNetwork
from stillproof.distill.trajectories.unrolled import Batch, unrolled_match
from stillproof.nets.build import build_network, forward_flops
from stillproof.nets.compiled import WORTH_COMPILING
from stillproof.transforms.dsa import DSA

IMAGES = 100  # 10 per class
SAMPLE = 4  # unrolled steps that are measured: the plain loop keeps the graph of each, and each costs the same
TURNS = 4
FEW, MANY = 10, 50  # unrolled steps of the memory measurement


def speed_lines() -> Iterator[Line]:
    """Measure ``mtt``: a few unrolled steps and the way back."""
    network = networks.build("convnet-3")
    ours = _Ours()
    notes: dict[str, object] = {}
    flat = ours.network(notes)
    plain = _Plain()
    turns = Turns(plain.step)
    turns.alternate(lambda: ours.step(flat, SAMPLE), TURNS)
    compiled = "" if notes["compiled"] else f"; NOT COMPILED: {notes.get('compile_error')}"
    how = f"{SAMPLE} unrolled steps, median of {TURNS} turns, {torch.get_num_threads()} threads{compiled}"
    yield Line("mtt, 10 ipc: step, times the plain loop's speed", turns.speed_up(), "x", how, "at least", 1.5)
    yield Line("mtt, 10 ipc: step", median(turns.ours), "s", f"the plain loop takes {median(turns.theirs):.3g} s")
    flops = forward_flops(network, INFO.channels, INFO.size, INFO.num_classes)
    # Forwards: a forward and a backward pass. Backwards: the slope is three convolutions per layer, and five backward.
    share = turns.gemm_share((3 + 8) * SAMPLE * IMAGES * flops, turns.ours)
    yield Line("mtt, 10 ipc: step, share of the GEMM rate", share, "", turns.machine())


def memory_lines() -> Iterator[Line]:
    """Measure the peak memory of ``mtt`` in processes of their own."""
    few, many = (_peak(steps) for steps in (FEW, MANY))
    how = f"{many / 2**20:.0f} MiB and {few / 2**20:.0f} MiB of a whole process, {IMAGES} images"
    yield Line(f"mtt: peak memory, {MANY} against {FEW} unrolled steps", many / few, "x", how, "under", 1.5)


def _peak(steps: int) -> int:
    code = f"from benchmarks.unrolling import print_peak; print_peak({steps})"
    return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def print_peak(steps: int) -> None:
    """Unroll once and print the most bytes that this process held."""
    ours = _Ours()
    ours.step(ours.network({}), steps)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


class _Ours:
    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        self.images = torch.randn(IMAGES, INFO.channels, INFO.size, INFO.size, generator=generator)
        self.labels = torch.arange(INFO.num_classes).repeat_interleave(IMAGES // INFO.num_classes)
        self.body = build_network(networks.build("convnet-3"), INFO, Seeds(0), "cpu")
        self.start = nn.utils.parameters_to_vector(self.body.parameters()).detach()
        self.goal = self.start + 0.01 * torch.randn(len(self.start), generator=generator)

    def network(self, notes: dict[str, object]) -> FlatNetwork:
        return FlatNetwork(self.body, flops=WORTH_COMPILING, notes=notes)

    def step(self, network: FlatNetwork, steps: int) -> None:
        batches = [
            Batch(torch.arange(IMAGES), lambda x, n=n: DSA()(x, Seeds(n).torch()), contextlib.nullcontext)  # type: ignore[misc]
            for n in range(steps)
        ]
        lr = torch.tensor(0.01)
        unrolled_match(network, self.images, self.labels, lr, batches, start=self.start, goal=self.goal, exact=True)


class _Plain:
    """Trajectory matching as its authors' code writes it: eager, the graphs of all steps kept."""

    def __init__(self) -> None:
        self.net = plain_convnet()
        for module in self.net.modules():
            if isinstance(module, nn.ReLU):
                module.inplace = False
        self.images = torch.randn(IMAGES, INFO.channels, INFO.size, INFO.size, requires_grad=True)
        self.labels = torch.arange(INFO.num_classes).repeat_interleave(IMAGES // INFO.num_classes)
        self.lr = torch.tensor(0.01, requires_grad=True)
        self.start = nn.utils.parameters_to_vector(self.net.parameters()).detach()
        self.goal = self.start + 0.01 * torch.randn(len(self.start))
        self.sizes = [value.shape for value in self.net.parameters()]
        self.names = [name for name, _ in self.net.named_parameters()]

    def step(self) -> None:
        theta = self.start.clone().requires_grad_()
        for number in range(SAMPLE):
            output = self._forward(theta, DSA()(self.images, Seeds(number).torch()))
            loss = nn.functional.cross_entropy(output, self.labels)
            theta = theta - self.lr * torch.autograd.grad(loss, theta, create_graph=True)[0]
        distance = (theta - self.goal).square().sum() / (self.start - self.goal).square().sum()
        torch.autograd.grad(distance, [self.images, self.lr])

    def _forward(self, theta: Tensor, images: Tensor) -> Tensor:
        parts = torch.split(theta, [shape.numel() for shape in self.sizes])
        weights = {n: part.view(s) for n, part, s in zip(self.names, parts, self.sizes, strict=True)}
        output: Tensor = functional_call(self.net, weights, (images,))
        return output
