"""AutoAttack against pyautoattack, and Square against torchattacks, on a trained ConvNet-3."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from benchmarks.attacking import TEST_SET, trained_model
from benchmarks.line import Line
from benchmarks.turns import Turns
from stillproof.attack.base.attack import Attack, attack_of
from stillproof.attack.base.run import attack_batch, run_attack
from stillproof.attack.base.victim import Victim, under_attack
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds

ATTACKED = 32  # images: a whole chunk of this network
STEPS, CLASSES, QUERIES = 10, 3, 100  # of both, tenths of the usual: as many turns fit into the time
SQUARES = 300  # queries of Square alone
Attacked = Callable[[Tensor, Tensor], Tensor]


def strong_attack_lines(turns: int = 2) -> Iterator[Line]:
    """Attack what a network has learned, in turns with the libraries, and compare what is left."""
    model, images, labels, name = trained_model(ATTACKED)
    theirs = copy.deepcopy(model).eval()  # ours gets its channels last where it is compiled
    far = run_attack(attack_of("deepfool:norm=Linf"), theirs, images, labels, ctx=_ctx()).linf
    eps = far.median().item()  # of the nearest borders that DeepFool finds, half lie within it
    budget = {"steps": STEPS, "classes": CLASSES, "queries": QUERIES}
    for what, attack, reference, who in (
        ("AutoAttack", attack_of("autoattack", {"eps": eps} | budget), _auto_attack, "pyautoattack"),
        ("Square", attack_of("square", {"eps": eps, "queries": SQUARES}), _square, "torchattacks"),
    ):
        try:
            run = reference(theirs, eps)
        except ImportError:
            yield Line(f"{what}: not measured", 0.0, "", f"{who} is not installed")
            continue
        duel = Duel(model, theirs, images, labels, attack, run)
        compiled = duel.fight(turns)
        how = f"{name}, {ATTACKED} images, eps {255 * eps:.2g}/255, median of {turns} turns, against {who}{compiled}"
        yield Line(f"{what}: times the reference's speed", duel.turns.speed_up(), "x", how, "at least", 1.0)
        said = f"ours {duel.ours.sum()}, the reference's {duel.left.sum()}, another verdict on {duel.apart()}"
        more = float(duel.ours.sum() - duel.left.sum())
        # Starts are drawn by other generators, and so are the squares.
        yield Line(f"{what}: survivors more than the reference's", more, "", said, "under", 1.5)


class Duel:
    """Ours and a library's on the same images, in turns."""

    def __init__(
        self, model: nn.Module, theirs: nn.Module, images: Tensor, labels: Tensor, attack: Attack, reference: Attacked
    ) -> None:
        """Take two copies of a model."""
        self.model, self.theirs, self.images, self.labels = model, theirs, images, labels
        self.attack, self.reference = attack, reference
        self.ours = self.left = torch.zeros(len(images), dtype=torch.bool)
        self.turns = Turns(self._their_turn, skip=1)

    def fight(self, turns: int) -> str:
        """Take the turns that count; say if ours was not compiled."""
        notes: dict[str, object] = {}
        with under_attack(self.model, passes=self.attack.passes * TEST_SET, notes=notes) as victim:
            self.turns.alternate(lambda: self._our_turn(victim), turns)
        return "" if notes["compiled"] else f"; NOT COMPILED: {notes.get('compile_error')}"

    def apart(self) -> int:
        """Return on how many images the verdicts differ."""
        return int((self.ours != self.left).sum())

    def _our_turn(self, victim: Victim) -> None:
        self.ours = attack_batch(self.attack, victim, self.images, self.labels, ctx=_ctx()).robust

    def _their_turn(self) -> None:
        made = self.reference(self.images, self.labels)
        with torch.no_grad():
            self.left = self.theirs(made).argmax(1) == self.labels


def _ctx() -> Context:
    return Context(Seeds(0))


def _auto_attack(model: nn.Module, eps: float) -> Attacked:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyautoattack import AutoAttack
        from pyautoattack.autopgd_base import APGDAttack, APGDAttack_targeted

    def attack(images: Tensor, labels: Tensor) -> Tensor:
        built = AutoAttack(model, eps=eps, norm="Linf", seed=0)
        fewer = {"n_iter": STEPS, "eps": eps, "logger": built.logger}
        built.apgd, built.apgd_targeted = APGDAttack(model, **fewer), APGDAttack_targeted(model, **fewer)
        built.apgd_targeted.n_target_classes = built.fab.n_target_classes = CLASSES
        built.fab.n_iter, built.square.n_queries = STEPS, QUERIES
        made: Tensor = built.run_standard_evaluation(images, labels)[0]
        return made

    return attack


def _square(model: nn.Module, eps: float) -> Attacked:
    from torchattacks import Square

    attack: Attacked = Square(model, eps=eps, n_queries=SQUARES)
    return attack
