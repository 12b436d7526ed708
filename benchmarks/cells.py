"""A whole training cell, with its test, against the authors' way: eager, and one test at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from benchmarks.line import Line
from benchmarks.training import INFO, WARM_UP, plain_convnet, plain_pass
from benchmarks.turns import seconds
from stillproof.core.components import networks, recipes
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Hard, ImageSet, Space
from stillproof.nets.build import build_network, forward_flops
from stillproof.train.curve import Curve
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.train.target_source import LabelTargets
from stillproof.train.train_data import TrainData
from stillproof.transforms.space import make_front

TEST_IMAGES = 10_000
THEIR_TEST_BATCH = 256
TARGETS = {1: 1.5, 10: 1.7, 50: 1.7}  # by images per class


def cell_lines(ipc: int, measured: int | None = None) -> Iterator[Line]:
    """Train and test ConvNet-3 as recipe dc-bench does; of its passes, ``measured`` are made and stand for all.

    Compiled code is on disk, as it is from the second training of a kind on, but the process has yet to load it.
    """
    recipe: Recipe = recipes.build("dc-bench", {"curve_points": 1})
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(10 * ipc, 3, 32, 32, generator=generator)
    labels = torch.arange(10).repeat(ipc)
    pixels = torch.randint(256, (TEST_IMAGES, 3, 32, 32), dtype=torch.uint8, generator=generator)
    test = ImageSet(pixels, torch.arange(TEST_IMAGES) % 10, INFO, "noise/test")
    passes = measured or recipe.epochs
    both = {}
    for count in (WARM_UP, passes):  # the first time fills torch's cache on disk
        torch.compiler.reset()
        theirs = TheirCell(images, labels, test, recipe)
        both = {"ours": _our_cell(images, labels, test, recipe, count, theirs), "theirs": theirs.seconds}
    times = recipe.epochs / passes
    ours, their = (one.loading + one.training * times + one.testing for one in both.values())
    how = f"{recipe.epochs} passes" + (f", {passes} measured" if measured else "") + f" and {TEST_IMAGES} test images"
    name = f"whole cell, {ipc} ipc"
    yield Line(f"{name}: times the authors' way", their / ours, "x", f"{how}, in turns", "at least", TARGETS[ipc])
    yield Line(f"{name}: seconds", ours, "s", f"the authors' way takes {their:.3g} s")
    share = both["theirs"].testing / their
    yield Line(f"{name}: share of the test", both["ours"].testing / ours, "", f"in the authors' way {share:.2f}")
    yield Line(f"{name}: share of loading compiled code", both["ours"].loading / ours, "", "once per process")


@dataclass
class Seconds:
    """Seconds of a cell by what they went into."""

    loading: float = 0.0
    training: float = 0.0
    testing: float = 0.0


class TheirCell:
    """A plain network that is trained and tested by turns with ours."""

    def __init__(self, images: Tensor, labels: Tensor, test: ImageSet, recipe: Recipe) -> None:
        """Build the network."""
        self.net, self.test_images, self.seconds = plain_convnet(), test, Seconds()
        self.one_pass = plain_pass(self.net, images, labels, recipe)

    def train(self) -> None:
        """Make one pass."""
        self.seconds.training += seconds(self.one_pass)

    def test(self) -> None:
        """Predict all test images."""
        self.seconds.testing += seconds(self._test)

    @torch.no_grad()
    def _test(self) -> None:
        right = 0
        for start in range(0, len(self.test_images), THEIR_TEST_BATCH):
            part = slice(start, start + THEIR_TEST_BATCH)
            said = self.net((self.test_images.read(part) - 0.5) / 0.5).argmax(1)
            right += int((said == self.test_images.labels[part]).sum())


def _our_cell(
    images: Tensor, labels: Tensor, test: ImageSet, recipe: Recipe, passes: int, theirs: TheirCell
) -> Seconds:
    network = networks.build("convnet-3")
    # What a whole cell decides about compiling, a shortened one decides too.
    flops = forward_flops(network, 3, 32, 10) * recipe.epochs / passes
    short = recipes.build("dc-bench", {"curve_points": 1, "epochs": passes})
    front = make_front(Space.normalised(INFO))
    model = TrainedModel(front, build_network(network, INFO, Seeds(0), "cpu"))
    spent = Seconds()
    ctx = Context(seeds=Seeds(0), report=_Passes(spent, theirs))
    curve = _TimedCurve(test, None, "cpu")
    source = LabelTargets(Hard(labels), INFO.num_classes, "cpu")
    data = TrainData(lambda i: images[i], labels, INFO.num_classes, source)
    fit(model, data, short, ctx, curve=curve, flops=flops)
    theirs.test()
    spent.testing = curve.seconds
    spent.training -= curve.seconds  # the test is part of the last pass
    assert ctx.notes["compiled"], ctx.notes
    return spent


class _Passes:
    """Told of every pass of ours, after which the others make theirs; the first one loads what was compiled."""

    def __init__(self, spent: Seconds, theirs: TheirCell) -> None:
        self.spent, self.theirs = spent, theirs
        self.began: float | None = None
        self.first = True

    def __call__(self, share: float) -> None:
        if self.began is not None:
            took = time.perf_counter() - self.began
            if self.first:
                self.spent.loading, self.first = took, False
            else:
                self.spent.training += took
            self.theirs.train()
        self.began = time.perf_counter()


class _TimedCurve(Curve):
    seconds = 0.0

    def measure(self, model: TrainedModel, epoch: int, logits_of: Callable[[Tensor], Tensor] | None = None) -> None:
        self.seconds += seconds(lambda: super(_TimedCurve, self).measure(model, epoch, logits_of))
