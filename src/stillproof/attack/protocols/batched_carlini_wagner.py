"""C&W as torchattacks has it: one decision for a whole batch, and images that are not fooled come back as they were."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.adam import Adam
from stillproof.attack.base.attack import Attack
from stillproof.attack.base.crafting import Crafting
from stillproof.attack.base.norms import Norm

LOOKS = 10  # how often it looks whether the cost of the batch has grown


@dataclass(frozen=True)
class BatchedCarliniWagner(Attack):
    """Descend on size and margin as ``cw`` does, but stop for all images once their common cost has grown.

    Values outside [0, 1] begin at its ends, where tanh has no slope: they stay there.

    Args:
        c: Weight of the margin.
        kappa: Margin, in logits, that a wrong class must have.
        steps: Steps of Adam.
        lr: Its step size.
    """

    c: float = 1.0
    kappa: float = 0.0
    steps: int = 100
    lr: float = 0.01

    leaves = False

    @property
    def measured_in(self) -> Norm:
        """Return L2."""
        return "L2"

    @property
    def passes(self) -> float:
        """Return the most passes of one image: the clean one, two for each step, one to see what came of it."""
        return 2 + 2 * self.steps

    def craft(self, crafting: Crafting) -> None:
        """Make the steps with all images, right and wrong ones; keep the nearest change that fooled the model."""
        images = crafting.images
        best, nearest = images.clone(), torch.full((len(images),), 1e10, device=images.device)
        values = _inverse_tanh((2 * images - 1).clamp(-1, 1))
        adam = Adam(values, self.lr)
        cost_before = 1e10
        for step in range(self.steps):
            curve = torch.tanh(values)
            points = (curve + 1) / 2
            gradient, logits = crafting.ask(points, self._gain)
            sizes = (points - images).square().flatten(1).sum(1)
            # By hand, since the model's part is a gradient already: of the squared size and the gain, through tanh.
            slope = (2 * (points - images) - self.c * gradient) * (1 - curve.square()) / 2
            values = values - adam.step(slope)
            said = logits.argmax(1)
            fooled = said != crafting.labels if crafting.targets is None else said == crafting.targets
            nearer = fooled & (sizes < nearest)
            nearest = torch.where(nearer, sizes, nearest)
            best[nearer] = points[nearer]
            if step % max(self.steps // LOOKS, 1) == 0:
                gains = self._gain(logits, crafting.labels, crafting.targets)
                cost = float(sizes.sum() - self.c * gains.sum())
                if cost > cost_before:
                    break
                cost_before = cost
        crafting.finish(best)

    def _gain(self, logits: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
        """Return by how much the wrong class, or the target, leads, as far as that is wanted.

        Logits of the classes that are left out count as 0, and not as minus infinity.
        """
        chosen = F.one_hot(labels if targets is None else targets, logits.shape[1])
        other, own = ((1 - chosen) * logits).amax(1), (chosen * logits).amax(1)
        lead = own - other if targets is None else other - own
        return -lead.clamp(min=-self.kappa)


def _inverse_tanh(values: Tensor) -> Tensor:
    """Return values whose tanh these are; infinite at 1 and -1."""
    return 0.5 * torch.log((1 + values) / (1 - values))
