"""Teachers: models that are asked about every batch as it was augmented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor

from stillproof.core.spec import Json
from stillproof.nets.chunks import by_chunks
from stillproof.nets.compiled import compiled
from stillproof.train.batch import Augmented
from stillproof.train.labels import Form, from_logits
from stillproof.train.model import LogitsOf, TrainedModel, logits_of
from stillproof.train.target_source import TargetSource
from stillproof.train.training import Training
from stillproof.transforms.front import Front


@dataclass(frozen=True)
class Teacher:
    """A trained model, and the work of one image's forward pass through it."""

    model: TrainedModel
    flops: float = 0.0


@dataclass
class TeacherTargets(TargetSource):
    """The mean of the teachers' logits, of the very images that the network will see.

    Images that were mixed are asked about as mixtures, so that answers are not mixed again.

    Args:
        teachers: The teachers; each sees pixels through its own front.
        front: The map from pixels into the space that images of the set are in.
    """

    teachers: Sequence[Teacher]
    front: Front
    _ask: list[LogitsOf] = field(default_factory=list)

    def begin(self, training: Training) -> None:
        """Freeze the teachers, and compile those whose work ahead repays it."""
        self._ask.clear()
        notes: list[Json] = []
        asked = training.recipe.epochs * len(training.data)
        for teacher in self.teachers:
            model = teacher.model.eval().requires_grad_(False)
            notes.append({})
            fast = compiled(partial(logits_of, model.body), model.body, flops=teacher.flops * asked, notes=notes[-1])
            self._ask.append(by_chunks(fast, model.body))
        training.ctx.notes["teachers"] = notes

    @torch.no_grad()
    def targets(self, batch: Augmented, form: Form) -> Tensor:
        """Return the teachers' answers about a batch."""
        pixels = self.front.inverse(batch.images)
        answers = [ask(one.model.front(pixels)) for ask, one in zip(self._ask, self.teachers, strict=True)]
        return from_logits(torch.stack(answers).mean(0), form)
