"""PGD on a trained ConvNet-3 against torchattacks, where half of the images are lost and where none is."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from benchmarks.line import Line
from benchmarks.turns import Turns
from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.run import attack_batch, run_attack
from stillproof.attack.base.victim import Victim, under_attack
from stillproof.core.components import networks
from stillproof.core.context import Context
from stillproof.core.errors import DataMissing
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, ImageSet, Space
from stillproof.data.load import data_root, load
from stillproof.nets.build import build_network, forward_flops
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel, predict
from stillproof.train.recipe import Recipe
from stillproof.transforms.space import make_front

LEARNED = 1000  # images that the network is trained on
ATTACKED = 256  # images that it is right about
STEPS = 10
TEST_SET = 10_000  # images of an attack that is worth compiling, as whole test sets are
SEARCHED = 64  # images by which eps is chosen
Attacked = Callable[[Tensor, Tensor], Tensor]


def attack_lines(turns: int = 3) -> Iterator[Line]:
    """Attack what a network has learned, in turns with torchattacks, and compare what is left."""
    model, images, labels, name = trained_model(ATTACKED)
    theirs = copy.deepcopy(model).eval()  # ours gets its channels last where it is compiled
    far = run_attack(attack_of("deepfool:norm=Linf"), theirs, images[:SEARCHED], labels[:SEARCHED], ctx=_ctx()).linf
    # Of the nearest borders that DeepFool finds, half lie within the first eps, and none by far within the second.
    for lost, eps, target in (("half", far.median().item(), 2.0), ("none", far.min().item() / 4, 1.0)):
        duel = Duel(model, theirs, images, labels, eps)
        what = f"PGD-{STEPS}, {lost} of the images lost"
        how = f"{name}, {ATTACKED} images, eps {255 * eps:.2g}/255, median of {turns} turns, {duel.fight(turns)}"
        yield Line(f"{what}: times the reference's speed", duel.turns.speed_up(), "x", how, "at least", target)
        said = f"ours {duel.our_accuracy:.3f}, the reference's {duel.their_accuracy:.3f}"
        more = duel.our_accuracy - duel.their_accuracy
        # Two images: starts are drawn by other generators.
        yield Line(f"{what}: robust accuracy above the reference's", more, "", said, "under", 2.5 / ATTACKED)


class Duel:
    """Ours and the reference on the same images, in turns; each tells what is left of the accuracy."""

    def __init__(self, model: nn.Module, theirs: nn.Module, images: Tensor, labels: Tensor, eps: float) -> None:
        """Take two copies of a model."""
        self.model, self.theirs, self.images, self.labels = model, theirs, images, labels
        self.attack = attack_of("pgd", {"eps": eps, "steps": STEPS})
        self.reference, self.who = _reference(theirs, eps)
        self.our_accuracy = self.their_accuracy = 0.0
        self.turns = Turns(self._their_turn, skip=1)

    def fight(self, turns: int) -> str:
        """Take the turns that count; say against whom, and whether ours was compiled."""
        notes: Json = {}
        with under_attack(self.model, passes=self.attack.passes * TEST_SET, notes=notes) as victim:
            self.turns.alternate(lambda: self._our_turn(victim), turns)
        return self.who + ("" if notes["compiled"] else f"; NOT COMPILED: {notes.get('compile_error')}")

    def _our_turn(self, victim: Victim) -> None:
        self.our_accuracy = attack_batch(self.attack, victim, self.images, self.labels, ctx=_ctx()).robust_accuracy

    def _their_turn(self) -> None:
        made = self.reference(self.images, self.labels)
        with torch.no_grad():
            self.their_accuracy = (self.theirs(made).argmax(1) == self.labels).float().mean().item()


def _ctx() -> Context:
    return Context(Seeds(0))


def _reference(model: nn.Module, eps: float) -> tuple[Attacked, str]:
    """Return torchattacks' PGD, or where it is not installed the loop that it has."""
    try:
        from torchattacks import PGD
    except ImportError:
        return _plain_pgd(model, eps), "against a plain loop, since torchattacks is not installed"
    attack: Attacked = PGD(model, eps=eps, alpha=eps / 4, steps=STEPS)
    return attack, "against torchattacks"


def _plain_pgd(model: nn.Module, eps: float) -> Attacked:
    def attack(images: Tensor, labels: Tensor) -> Tensor:
        points = (images + torch.empty_like(images).uniform_(-eps, eps)).clamp(0, 1)
        for _ in range(STEPS):
            points.requires_grad_()
            (slope,) = torch.autograd.grad(nn.functional.cross_entropy(model(points), labels), points)
            moved = points.detach() + eps / 4 * slope.sign()
            points = (images + (moved - images).clamp(-eps, eps)).clamp(0, 1)
        return points

    return attack


def trained_model(count: int) -> tuple[TrainedModel, Tensor, Tensor, str]:
    """Return a network, so many images that it is right about, and what they are."""
    data, name = _data()
    body = build_network(networks.build("convnet-3"), data.info, Seeds(0), "cpu")
    model = TrainedModel(make_front(Space.normalised(data.info)), body)
    recipe = Recipe(epochs=12, batch=100, lr=0.01)
    flops = forward_flops(networks.build("convnet-3"), data.info.channels, data.info.size, data.num_classes)
    fit(model, from_images(data, model.front, "cpu"), recipe, _ctx(), flops=flops)
    right = (predict(model, data, "cpu") == data.labels).nonzero().squeeze(1)[:count]
    assert len(right) == count, f"the network learned {len(right)} of {LEARNED} images only"
    return model, data.read(right), data.labels[right], name


def _data() -> tuple[ImageSet, str]:
    """Return CIFAR-10 images, or where they are not there blurred noise of ten kinds."""
    try:
        real = load("cifar10", "train", data_root())
        return ImageSet(real.images[:LEARNED], real.labels[:LEARNED], real.info, "benchmark"), "CIFAR-10"
    except DataMissing:
        generator = torch.Generator().manual_seed(0)
        labels = torch.arange(LEARNED) % 10
        kinds = nn.functional.interpolate(torch.rand(10, 3, 4, 4, generator=generator), size=32, mode="bilinear")
        noise = torch.randn(LEARNED, 3, 32, 32, generator=generator)
        info = DataInfo("made", 3, 32, 10, (0.5,) * 3, (0.25,) * 3, "none")
        return ImageSet((kinds[labels] + 0.2 * noise).clamp(0, 1), labels, info, "benchmark"), "made images"
