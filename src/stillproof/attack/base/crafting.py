"""One batch of images under attack: all that an attack may use of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import torch
from torch import Tensor

from stillproof.attack.base import losses
from stillproof.attack.base.ledger import Ledger
from stillproof.attack.base.limits import Limits
from stillproof.attack.base.losses import Loss
from stillproof.attack.base.streams import Streams
from stillproof.attack.base.victim import Through, Victim
from stillproof.core.errors import BadInput


@dataclass(frozen=True)
class Crafting:
    """Some images of a batch, and the model that they are changed for.

    Whatever is asked of the model here is counted for each image, and judged: an image that fools it is remembered.

    Args:
        victim: The model.
        ledger: What is known of each image of the batch.
        limits: How far they may be changed.
        streams: Their random streams.
        images: Clean pixels, (N, C, H, W).
        labels: The true classes, (N,).
        targets: The classes that they shall be taken for, (N,); None if untargeted.
        rows: Where in the batch each image is, (N,).
        leaves: Whether images that are fooled may leave.
        judged: Whether it matters if images are fooled; it does not in training.
        clean_logits: What the model says of the clean images, (N, classes), if it was asked.
        cross_entropy: The usual loss of attacks.
    """

    victim: Victim
    ledger: Ledger
    limits: Limits
    streams: Streams
    images: Tensor
    labels: Tensor
    targets: Tensor | None
    rows: Tensor
    leaves: bool = True
    judged: bool = True
    clean_logits: Tensor | None = None
    cross_entropy: Loss = losses.cross_entropy

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.images)

    def looked(self) -> Crafting:
        """Return the attack with what the model says of the clean images; one forward pass, if it is not known yet.

        It is not judged, since targets may follow from it.
        """
        if self.clean_logits is not None:
            return self
        self.ledger.forwards[self.rows] += 1
        logits = self.victim.logits(self.images)
        if logits.ndim != 2 or len(logits) != len(self) or logits.shape[1] < 2:
            raise BadInput(
                f"the model's answer to {len(self)} images has shape {tuple(logits.shape)}: "
                "it must be logits of at least 2 classes for each."
            )
        return dataclasses.replace(self, clean_logits=self._checked(logits))

    def logits(self, points: Tensor) -> Tensor:
        """Return what the model says of changed images, (N, classes); one forward pass."""
        logits = self.peek(points)
        self.judge(points, logits)
        return logits

    def peek(self, points: Tensor) -> Tensor:
        """Return the same, and leave it to the attack to ``judge``: points may lie outside the limits."""
        self.ledger.forwards[self.rows] += 1
        return self._checked(self.victim.logits(points))

    def gradient(self, points: Tensor, loss: Loss | None = None) -> Tensor:
        """Return the gradient of a loss at changed images, (N, C, H, W); one forward pass and one backward pass.

        It is that of the cross-entropy unless another loss is named.
        """
        gradient, logits = self.ask(points, loss or self.cross_entropy)
        self.judge(points, logits)
        return gradient

    def ask(
        self, points: Tensor, loss: Loss, *, truth: Tensor | None = None, through: Through | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return gradient and logits, and leave it to the attack to ``judge``.

        Args:
            points: Changed images, (N, C, H, W).
            loss: What shall grow.
            truth: What it is given besides logits and targets, one row per image; the labels if nothing is named.
            through: What is done to images before the model sees them. What it says of them may then not be what it
                says of the images themselves.
        """
        self.ledger.forwards[self.rows] += 1
        self.ledger.backwards[self.rows] += 1
        truth = self.labels if truth is None else truth

        def chunk_loss(logits: Tensor, part: slice) -> Tensor:
            self._checked(logits, part)
            return loss(logits, truth[part], None if self.targets is None else self.targets[part])

        gradient, logits = self.victim.gradient(points, chunk_loss, through)
        broken = ~torch.isfinite(gradient)
        self.ledger.no_gradient[self.rows] |= ~((gradient != 0) & ~broken).flatten(1).any(1)
        return gradient.masked_fill(broken, 0.0), logits

    def jacobian(self, points: Tensor, classes: Tensor, where: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return the gradients of chosen logits, (N, k, C, H, W), and all logits; k backward passes.

        The points are judged, of those alone that a mask names if there is one.
        """
        self.ledger.forwards[self.rows] += 1
        self.ledger.backwards[self.rows] += classes.shape[1]
        gradients, logits = self.victim.jacobian(points, classes)
        self.judge(points, self._checked(logits), where)
        return gradients.nan_to_num(0.0, 0.0, 0.0), logits

    def judge(self, points: Tensor, logits: Tensor, where: Tensor | None = None) -> None:
        """Note what the model said of changed images, of those alone that a mask names if there is one."""
        if not self.judged:
            return
        if where is None:
            self.ledger.judge(self.rows, points, logits)
        else:
            self.ledger.judge(self.rows[where], points[where], logits[where])

    def fools(self, logits: Tensor) -> Tensor:
        """Say for which images the model errs as wanted, going by its logits."""
        return self.ledger.fools(logits.argmax(1), self.rows)

    def finish(self, points: Tensor) -> None:
        """Take changed images as the attack's last word."""
        if self.judged:
            self.logits(points)
        else:
            self.ledger.images[self.rows] = points

    def give_back(self) -> None:
        """Take the clean images as the attack's last word; the model is not asked again."""
        self.ledger.give_back(self.rows)

    def staying(self) -> Tensor:
        """Return a mask of the images that go on: where images may leave, those that are not fooled yet."""
        return self.unfooled() if self.leaves else torch.ones_like(self.rows, dtype=torch.bool)

    def unfooled(self) -> Tensor:
        """Return a mask of the images that are not fooled yet."""
        return ~self.ledger.fooled[self.rows]

    def only(self, kept: Tensor) -> Crafting:
        """Return the attack on the images that a mask keeps."""
        return dataclasses.replace(
            self,
            streams=self.streams.only(kept),
            images=self.images[kept],
            labels=self.labels[kept],
            targets=None if self.targets is None else self.targets[kept],
            rows=self.rows[kept],
            clean_logits=None if self.clean_logits is None else self.clean_logits[kept],
        )

    def drawing(self, *name: str | int) -> Crafting:
        """Return the same attack with random streams of another name."""
        return dataclasses.replace(self, streams=self.streams.child(*name))

    def _checked(self, logits: Tensor, part: slice = slice(None)) -> Tensor:
        wrong = ~torch.isfinite(logits.detach()).all(1)
        if wrong.any():
            image = int(self.streams.indices[part][wrong.cpu()][0])
            raise BadInput(
                f"the model's answer to image {image} is not finite: its logits must be numbers to attack it."
            )
        return logits
