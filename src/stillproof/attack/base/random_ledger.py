"""What is known of each image while a model that answers at random is attacked: one answer proves nothing."""

from __future__ import annotations

import torch
from torch import Tensor

from stillproof.attack.base.ledger import NEVER, Ledger
from stillproof.attack.base.losses import cross_entropy
from stillproof.attack.base.norms import sizes
from stillproof.attack.base.random_models import FreshDraws, majority, mostly_fooled, note_draws, right_share

# Answers that make a mean. What seems the best to an attack that asks less often of a point is asked of again: the best
# of many single answers would be the unluckiest.
ENOUGH = 5


class RandomLedger(Ledger):
    """Keeps the points with the best mean loss over all answers to them, and calls no image fooled before the end.

    So nothing leaves early. Where the nearest change is looked for, it is one that fools most of some fresh draws.
    """

    def __init__(self, before: Ledger, draws: FreshDraws) -> None:
        """Take over a ledger that knows no more than what the first look cost."""
        super().__init__(before.clean, before.labels, before.answer, before.norm)
        self.forwards = before.forwards
        self.draws = draws
        self.clean_votes = draws.votes(self.clean)
        self.clean_predictions = majority(self.clean_votes, self.labels)
        self._best = torch.full_like(self.nearest, float("-inf"))
        # The points that the model was last asked of, and what it said of them.
        self._asked, self._losses = self.clean.clone(), torch.zeros_like(self._best)
        self._answers = torch.zeros_like(self.forwards)
        self._given_back = torch.zeros_like(self.fooled)

    @property
    def own_seconds(self) -> float:
        """Return what fresh draws took so far."""
        return self.draws.seconds

    def begin(self, logits: Tensor) -> None:
        """Note which clean images are wrong already; that matters where the nearest change is looked for."""
        if self.answer == "nearest":
            self.fooled = mostly_fooled(self.clean_votes, self.labels, self.targets)
            self.nearest[self.fooled] = 0.0

    def judge(self, rows: Tensor, points: Tensor, logits: Tensor) -> None:
        """Note what the model said of changed images in one draw."""
        fooled = self.fools(logits.argmax(1), rows)
        new = fooled & (self.first_success[rows] == NEVER)
        self.first_success[rows[new]] = (self.forwards + self.backwards)[rows[new]]
        if self.answer == "last":
            self.images[rows] = points
        elif self.answer == "nearest":
            self._keep_nearest(rows[fooled], points[fooled])
        else:
            targets = None if self.targets is None else self.targets[rows]
            self._average(rows, points, cross_entropy(logits, self.labels[rows], targets))

    def give_back(self, rows: Tensor) -> None:
        """Take clean images as the last word, where it turns out at the end that the changed ones fool nobody."""
        self._given_back[rows] = True

    def close(self) -> dict[str, Tensor]:
        """Ask what the model says of the images that are kept, in fresh draws, and go by that."""
        self._settle(torch.arange(len(self.images), device=self.images.device))
        votes = self.draws.votes(self.images)
        back = self._given_back & ~mostly_fooled(votes, self.labels, self.targets)
        self.images[back], votes[back] = self.clean[back], self.clean_votes[back]
        self.predictions = majority(votes, self.labels)
        self.fooled = mostly_fooled(votes, self.labels, self.targets)
        spent = self.forwards + self.backwards
        found = torch.where(self.first_success == NEVER, spent, self.first_success)
        self.first_success = torch.where(self.fooled, found, NEVER)
        note_draws(self.draws.victim, self.draws.count)
        return {
            "draws": torch.full_like(self.labels, self.draws.count),
            "clean_share": right_share(self.clean_votes, self.labels),
            "right_share": right_share(votes, self.labels),
        }

    def _average(self, rows: Tensor, points: Tensor, losses: Tensor) -> None:
        """Add an answer to those before it, where it is about the same points."""
        moved = (points != self._asked[rows]).flatten(1).any(1)
        self._settle(rows[moved])
        self._asked[rows] = points
        self._losses[rows] += losses
        self._answers[rows] += 1

    def _settle(self, rows: Tensor) -> None:
        """Keep the points that the model was last asked of, if their mean loss is the best, and begin with others."""
        means, answers = self._losses[rows] / self._answers[rows].clamp(min=1), self._answers[rows]
        self._losses[rows], self._answers[rows] = 0.0, 0
        better = (answers > 0) & (means > self._best[rows])
        rows, means, few = rows[better], means[better], answers[better] < ENOUGH
        if few.any():
            means[few] = self._mean_losses(rows[few])
        better = means > self._best[rows]
        kept = rows[better]
        self._best[kept], self.images[kept] = means[better], self._asked[kept]

    def _mean_losses(self, rows: Tensor) -> Tensor:
        """Return the losses of the points that the model was last asked of in the mean of fresh draws, (N,)."""
        said = self.draws.logits(self._asked[rows], ENOUGH)
        targets = None if self.targets is None else self.targets[rows]
        return torch.stack([cross_entropy(logits, self.labels[rows], targets) for logits in said]).mean(0)

    def _keep_nearest(self, rows: Tensor, points: Tensor) -> None:
        """Keep points that are nearer than those before, if most draws are fooled by them."""
        size = sizes(points - self.clean[rows], self.norm)
        nearer = size < self.nearest[rows]
        rows, points, size = rows[nearer], points[nearer], size[nearer]
        if not len(rows):
            return
        targets = None if self.targets is None else self.targets[rows]
        fooled = mostly_fooled(self.draws.votes(points), self.labels[rows], targets)
        kept = rows[fooled]
        self.images[kept], self.nearest[kept], self.fooled[kept] = points[fooled], size[fooled], True
