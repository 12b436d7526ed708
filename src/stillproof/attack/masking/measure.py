"""Measures what tells whether gradients can be trusted: several cheap attacks on the images that a model has right."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack, attack_of
from stillproof.attack.base.limits import Limits
from stillproof.attack.base.losses import cross_entropy
from stillproof.attack.base.norms import Norm, largest
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.pixels import read_pixels
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import attack_batch
from stillproof.attack.base.starts import anywhere
from stillproof.attack.base.streams import Streams
from stillproof.attack.base.victim import Model, Victim, under_attack
from stillproof.attack.masking.measured import (
    BLACK_BOX,
    NEAREST_STEPS,
    QUERIES,
    RADII,
    STEPS,
    UNBOUNDED_STEPS,
    Measured,
)
from stillproof.attack.none import NoAttack
from stillproof.attack.pgd import PGD
from stillproof.core.context import Context

ROUGHLY = 1e-3  # of the spread of an image's logits: answers that differ by more differ by more than rounding
ROUNDED = 1e-4  # by which a change that is just as large as a radius may be larger
ONE_DRAW = Rules(draws=0)  # a model that answers at random has an alarm of its own
SATURATED = 80.0  # logits between a class and all others: its probability rounds to 1, and its gradient to 0


def measure(
    model: Model,
    images: Tensor,
    labels: Tensor,
    *,
    eps: float,
    norm: Norm,
    ctx: Context,
    batch: int = 128,
) -> Measured:
    """Measure a model on images.

    Args:
        model: Takes pixels in [0, 1] to logits.
        images: Pixels, as ``run_attack`` takes them.
        labels: Their classes.
        eps: Radius of the ball that attacks are limited to.
        norm: Its norm.
        ctx: Gives device and random streams, and takes the share that is done.
        batch: Images that are attacked at once.
    """
    parts: list[Measured] = []
    with under_attack(model) as victim:
        for start in range(0, len(images), batch):
            part = slice(start, start + batch)
            indices = torch.arange(len(images))[part]
            parts.append(_Part(victim, images[part], labels[part], indices, eps, norm, ctx).measured())
            ctx.report(min(1.0, (start + batch) / len(images)))
    return Measured.joined(parts)


@dataclass
class _Part:
    """One batch; after ``begin`` only its images that the model has right."""

    victim: Victim
    images: Tensor
    labels: Tensor
    indices: Tensor
    eps: float
    norm: Norm
    ctx: Context
    logits: Tensor = field(init=False)

    def measured(self) -> Measured:
        total = len(self.images)
        self._begin()
        if not len(self.images):
            return Measured(self.eps, self.norm, total)
        with self.ctx.seeds.child("masking", int(self.indices[0])).lent_to_torch(self.ctx.device):
            self.logits = self.victim.logits(self.images)
            random = self._answers_at_random()
            noise = self._fooled_by_noise()
        one = self._attacked(PGD(self.eps, self.eps, 1, self.norm, random_start=False))
        many = self._attacked(PGD(self.eps, None, STEPS, self.norm))
        far = self._attacked(PGD(1.0, 2 / UNBOUNDED_STEPS, UNBOUNDED_STEPS, random_start=False))
        steps_at, nearest_at = self._at_radii(many.fooled)
        losses = [self._losses(steps) for steps in (1, STEPS)]
        margins = self._margins()
        return Measured(
            eps=self.eps,
            norm=self.norm,
            images=total,
            right=len(self.images),
            by_one_step=one.fooled.tolist(),
            by_many_steps=many.fooled.tolist(),
            by_noise=noise.tolist(),
            by_unbounded=far.fooled.tolist(),
            by_black_box=self._fooled_by_black_box().tolist(),
            by_steps_at=steps_at.tolist(),
            by_nearest_at=nearest_at.tolist(),
            no_gradient=one.no_gradient.tolist(),
            saturated=(margins > SATURATED).tolist(),
            margins=margins.tolist(),
            at_random=random.tolist(),
            loss_after_one=losses[0].tolist(),
            loss_after_many=losses[1].tolist(),
        )

    def _begin(self) -> None:
        """Leave only the images that are right; the attack that changes nothing refuses what cannot be attacked."""
        right = self._attacked(NoAttack()).clean_right
        self.images = read_pixels(self.images[right], self.ctx.device)
        self.labels = self.labels[right].to(self.ctx.device).long()
        self.indices = self.indices[right]

    def _answers_at_random(self) -> Tensor:
        """Say for which images the model's answer is another when it is asked again."""
        again = self.victim.logits(self.images)
        spread = self.logits.amax(1) - self.logits.amin(1)
        return ((again - self.logits).abs().amax(1) > ROUGHLY * spread).cpu()

    def _fooled_by_noise(self) -> Tensor:
        streams = Streams(self.ctx.seeds.child("noise"), self.indices, self.images.device)
        moved = self.images + anywhere(self.images, self.norm, self.eps, streams)
        noisy = Limits(self.norm, self.eps).project(self.images, moved)
        return (self.victim.logits(noisy).argmax(1) != self.labels).cpu()

    def _fooled_by_black_box(self) -> Tensor:
        """Attack without gradients; in L1, where there is no such attack, nothing counts as fooled."""
        if self.norm == "L1":
            return torch.zeros(len(self.images), dtype=torch.bool)
        return self._attacked(attack_of(BLACK_BOX, {"eps": self.eps, "norm": self.norm, "queries": QUERIES})).fooled

    def _at_radii(self, at_one: Tensor) -> tuple[Tensor, Tensor]:
        """Return which images several steps fool at each radius, and which the nearest change does, both (N, radii).

        What they fool at the ball's own radius is known already.
        """
        nearest = self._attacked(attack_of("fmn", {"norm": self.norm, "steps": NEAREST_STEPS}))
        sizes = {"Linf": nearest.linf, "L2": nearest.l2, "L1": nearest.l1}[self.norm]
        away = torch.where(nearest.fooled, sizes, torch.inf)
        most = largest(self.norm, self.images[0].numel())
        radii = [min(share * self.eps, most) for share in RADII]
        walks = [
            at_one if radius == self.eps else self._attacked(PGD(radius, None, STEPS, self.norm)).fooled
            for radius in radii
        ]
        return torch.stack(walks, 1), torch.stack([away <= radius * (1 + ROUNDED) for radius in radii], 1)

    def _attacked(self, attack: Attack, rules: Rules | None = None) -> Outcome:
        return attack_batch(
            attack, self.victim, self.images, self.labels, ctx=self.ctx, indices=self.indices, rules=rules or ONE_DRAW
        )

    def _losses(self, steps: int) -> Tensor:
        """Return the loss of each image after so many steps, all of the same size."""
        to_the_end = Rules(early_exit=False, answer="last", keep_images=True, draws=0)
        walk = PGD(self.eps, self.eps / 4, steps, self.norm, random_start=False)
        moved = self._attacked(walk, to_the_end).images
        assert moved is not None
        return cross_entropy(self.victim.logits(moved.to(self.images)), self.labels, None).cpu()

    def _margins(self) -> Tensor:
        """Return by how much the class of each image leads."""
        best = self.logits.topk(2, dim=1).values
        return (best[:, 0] - best[:, 1]).cpu()
