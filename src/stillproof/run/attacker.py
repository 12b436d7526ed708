"""Attacks a model of the store on test images, batch by batch, in the way of a protocol."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import attack_batch
from stillproof.attack.base.targets import Policy
from stillproof.attack.base.victim import COUNTED, FEW_CLASSES, WARNINGS, Victim, under_attack
from stillproof.attack.protocols.fair import AttackProtocol
from stillproof.core.context import Context
from stillproof.core.spec import Json
from stillproof.core.types import ImageSet
from stillproof.train.model import TrainedModel

KEPT_NOTES = (FEW_CLASSES, WARNINGS, COUNTED)  # of an attack, that go on with it when it is stopped


@dataclass(frozen=True)
class Attacker:
    """An attack on a model, and the test images that it is made on.

    Args:
        attack: The attack.
        model: The model.
        test: The images, and their labels.
        protocol: What of the model is attacked, how, and what counts.
        policy: Which classes it aims at; None if untargeted.
        all_steps: Whether it makes all its steps with every image, and the last image counts.
        keep_images: Whether the changed images are wanted.
    """

    attack: Attack
    model: TrainedModel
    test: ImageSet
    protocol: AttackProtocol
    policy: Policy | None = None
    all_steps: bool = False
    keep_images: bool = False

    @property
    def batch(self) -> int:
        """Return how many images are attacked at once."""
        return self.protocol.batch(self.attack)

    @property
    def form(self) -> Attack:
        """Return the attack as the protocol has it."""
        return self.protocol.form(self.attack)

    @property
    def rules(self) -> Rules:
        """Return how the protocol runs it."""
        return self.protocol.rules(all_steps=self.all_steps, keep_images=self.keep_images)

    @contextmanager
    def victim(self, images: int, ctx: Context) -> Iterator[Victim]:
        """Give what is attacked, ready for so many images."""
        attacked = self.protocol.victim(self.model)
        with under_attack(attacked, passes=self.form.passes * images, notes=ctx.notes) as victim:
            yield victim

    def run(self, victim: Victim, part: slice | Tensor, ctx: Context) -> Outcome:
        """Attack some of the test images, which are told by their place."""
        pixels, labels = self.test.read(part, ctx.device), self.test.labels[part]
        self.attack.check(pixels, targeted=self.policy is not None)
        with torch.no_grad():
            images = self.protocol.handed_over(pixels, self.model)
        classes, policy = self.test.num_classes, self.policy
        return attack_batch(
            self.form,
            victim,
            images,
            labels,
            ctx=ctx,
            target=None if policy is None else self.protocol.targets(labels, classes, policy),
            indices=torch.arange(len(self.test))[part],
            rules=self.rules,
        )


class OutcomeParts:
    """The outcomes of the batches so far, as a part of a loop that can be stopped and goes on.

    What attacks have noted on the way goes on with them.
    """

    def __init__(self, notes: Json) -> None:
        """Begin with none; ``notes`` are those of the running cell."""
        self.parts: list[Outcome] = []
        self._notes = notes

    def state_dict(self) -> dict[str, object]:
        """Return them as tensors and plain values."""
        names = [field.name for field in dataclasses.fields(Outcome)]
        noted = {key: self._notes[key] for key in KEPT_NOTES if key in self._notes}
        return {"parts": [{name: getattr(part, name) for name in names} for part in self.parts], "notes": noted}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take them over."""
        self.parts = [Outcome(**part) for part in state["parts"]]
        self._notes |= state["notes"]

    def fooled_so_far(self) -> str:
        """Say how many images of those that were right are fooled by now."""
        right = sum(int(part.clean_right.sum()) for part in self.parts)
        turned = sum(int(part.success.sum()) for part in self.parts)
        return f"{100 * turned / right:.0f} % fooled so far" if right else "no image right so far"

    def whole(self) -> Outcome:
        """Return the outcome of all batches together."""
        return Outcome.joined(self.parts)
