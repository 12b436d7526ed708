"""R-ATTA: TRADES whose attack goes on where it was in the pass before."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.crafting import Crafting
from stillproof.attack.stepping.close_start import CLOSE
from stillproof.attack.stepping.stopped_pgd import StoppedPGD
from stillproof.core.components import defences
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.defend.trades import Trades
from stillproof.train.backward import BatchLoss
from stillproof.train.batch import Batch
from stillproof.train.training import Training
from stillproof.transforms.crop_flip import check_padding

GREY = 0.5  # of the border around images, in pixels


@dataclass(frozen=True)
class FromPoints(StoppedPGD):
    """PGD that begins at given points, or at the images."""

    random_start: bool = False
    points: Tensor | None = None

    def start(self, crafting: Crafting) -> Tensor:
        """Return the points."""
        return crafting.images if self.points is None else crafting.limits.project(crafting.images, self.points)


@defences.register("r-atta", version=1, paper="arXiv:1912.11969")
@dataclass(frozen=True)
class RobustATTA(Trades):
    """TRADES-ATTA: the loss of TRADES, against perturbations that are carried on from pass to pass.

    The baseline R-ATTA of MAD. The attack raises the cross-entropy, as in the authors' code, and not the divergence. A
    perturbation must follow its pixels through every crop and mirror image, so that these are made here: the recipe has
    ``augment=none``. One perturbation is kept for every image with its border, on the CPU: 1 GB for CIFAR-10.

    Args:
        eps: Radius of the Linf ball of the attack, in pixels of [0, 1].
        step: Step size; a quarter of eps by default.
        steps: Attack steps for every batch.
        beta: Weight of the divergence.
        reset: Perturbations begin anew in every so many-th pass; never after the first with 0.
        padding: Grey pixels at each side that images are cropped out of, and so the largest shift; by default 4, but an
            eighth of the size where images are smaller than 32 pixels.
        flip: Whether every second image is mirrored.
        patience: Steps that an image still makes once it is fooled; in ATTA itself it never rests, as with as many as
            there are steps.
    """

    reset: int = 10
    padding: int | None = None
    flip: bool = True
    patience: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        super().__post_init__()
        check_padding(self.padding)
        if self.reset < 0:
            raise ValueError(f"reset must not be negative, as {self.reset} is")

    @property
    def attack(self) -> FromPoints:
        """Return PGD from points that are yet to be given."""
        return FromPoints(eps=self.eps, step=self.step, steps=self.steps, patience=self.patience)

    @property
    def passes(self) -> float:
        """Return the passes of an image: one for each step, three for the loss."""
        return self.steps + 3.0

    def begin(self, training: Training) -> BatchLoss:
        """Return the loss of a batch, which is cropped and mirrored here."""
        if training.recipe.augment != "none" or training.data.source.order(0) is not None:
            raise BadInput(
                "r-atta crops and mirrors images itself, so that perturbations can follow: it needs a recipe with "
                f"augment=none, not {training.recipe.augment!r}, and a set without recorded passes."
            )
        loss_of, front = self.begin_both(training), training.model.front
        image = training.data.read(torch.zeros(1, dtype=torch.int64))
        margin = min(4, min(image.shape[2:]) // 8) if self.padding is None else self.padding
        canvas = F.pad(torch.zeros_like(image, device="cpu"), [margin] * 4)
        carried = training.keep("perturbations", canvas.repeat(len(training.data), 1, 1, 1))

        def loss(batch: Batch) -> Tensor:
            seen, attacked = self.carry_on(training, batch, carried, margin)
            with torch.no_grad():
                images, harder = front(seen), front(attacked)
            return loss_of(replace(batch, images=images), harder)

        return loss

    def carry_on(self, training: Training, batch: Batch, carried: Tensor, margin: int) -> tuple[Tensor, Tensor]:
        """Return a batch in pixels as it is seen now, and attacked; what was done to it is kept in ``carried``."""
        whole = F.pad(training.to_pixels(batch.images).detach(), [margin] * 4, value=GREY)
        moved = carried[batch.positions].to(whole)
        if batch.epoch == 0 or (self.reset and (batch.epoch + 1) % self.reset == 0):
            moved = CLOSE * torch.randn(moved.shape, generator=batch.seeds.child("start").torch()).to(whole)
        window = _windows(whole, margin, batch.seeds.child("crop"), flip=self.flip)
        seen = whole[window]
        attack = replace(self.attack, points=seen + moved[window])
        attacked = self.changed(training, batch, seen, attack)
        moved[window] = attacked - seen
        carried[batch.positions] = moved.to(carried)
        return seen, attacked


def _windows(whole: Tensor, margin: int, seeds: Seeds, *, flip: bool) -> tuple[Tensor, ...]:
    """Return where the pixels of cropped and mirrored images are in the whole ones, as an index to read and write."""
    count, channels, height, width = whole.shape
    generator = seeds.torch()
    tops, lefts = torch.randint(2 * margin + 1, (2, count), generator=generator)
    mirrored = torch.rand(count, generator=generator) < (0.5 if flip else 0.0)
    rows = tops[:, None] + torch.arange(height - 2 * margin)
    columns = lefts[:, None] + torch.arange(width - 2 * margin)
    columns = torch.where(mirrored[:, None], columns.flip(1), columns)
    index = (
        torch.arange(count)[:, None, None, None],
        torch.arange(channels)[None, :, None, None],
        rows[:, None, :, None],
        columns[:, None, None, :],
    )
    return tuple(part.to(whole.device) for part in index)
