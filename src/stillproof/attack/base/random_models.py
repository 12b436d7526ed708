"""Models that answer at random: how they are noticed, and what they say in many fresh draws."""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.attack.base.victim import WARNINGS, Victim
from stillproof.core.seeds import Seeds

ROUNDING = 1e-4  # by which logits, brought to size 1, may differ when a model is asked again


def differ(first: Tensor, again: Tensor) -> Tensor:
    """Say for which images two answers, (N, classes) each, differ by more than rounding."""
    far: Tensor = (again - first).norm(dim=1) > ROUNDING * first.norm(dim=1).clamp(min=1e-10)
    return far


def answers_at_random(victim: Victim, images: Tensor) -> bool:
    """Say whether a model gives another answer when it is asked again.

    It is asked twice of the first images that come, and torch's generators are put back. That is known of it from then
    on, so that all batches of an attack are judged alike.
    """
    if victim.at_random is None:
        victim.get_ready(images)
        with torch.random.fork_rng(devices=[images.device] if images.device.type == "cuda" else []):
            victim.at_random = bool(differ(victim.logits(images), victim.logits(images)).any())
    return victim.at_random


def draws_sentence(draws: int) -> str:
    """Return what people are told of accuracies that were found in fresh draws."""
    return f"the model answers at random: accuracies are means over {draws} fresh draws, images go by their majority."


def majority_sentence(draws: int) -> str:
    """Return what people are told where images are counted one by one, over several attacks."""
    return (
        f"the model answers at random: an image counts as right here if it is in more than half of {draws} fresh "
        "draws; accuracies under single attacks are means over draws."
    )


def note_draws(victim: Victim, draws: int) -> None:
    """Keep with the result how its accuracies were found."""
    victim.notes.setdefault(WARNINGS, {})["draws"] = draws_sentence(draws)


@dataclass
class FreshDraws:
    """Answers of a model that have nothing to do with those that an attack saw.

    Args:
        victim: The model.
        seeds: Where its draws come from; each question has its own.
        count: How often it is asked what it takes an image for.
        seconds: What all questions took.
    """

    victim: Victim
    seeds: Seeds
    count: int
    seconds: float = 0.0
    _questions: int = 0

    def votes(self, images: Tensor) -> Tensor:
        """Return how often images are taken for each class, (N, classes)."""
        said = self.logits(images, self.count)
        return F.one_hot(said.argmax(2), said.shape[2]).sum(0)

    def logits(self, images: Tensor, count: int) -> Tensor:
        """Return so many answers, (count, N, classes)."""
        began = time.perf_counter()
        with self.seeds.child("question", self._questions).lent_to_torch(str(images.device)):
            said = torch.stack([self.victim.logits(images) for _ in range(count)])
        self._questions += 1
        self.seconds += time.perf_counter() - began
        return said


def right_share(votes: Tensor, labels: Tensor) -> Tensor:
    """Return the share of draws in which each image is right, (N,)."""
    return votes.gather(1, labels.unsqueeze(1)).squeeze(1) / votes.sum(1)


def majority(votes: Tensor, labels: Tensor) -> Tensor:
    """Return what each image goes by: its own class if that has more than half of the votes, else the best other."""
    others = votes.scatter(1, labels.unsqueeze(1), -1).argmax(1)
    return torch.where(right_share(votes, labels) > 0.5, labels, others)


def mostly_fooled(votes: Tensor, labels: Tensor, targets: Tensor | None) -> Tensor:
    """Say which images are taken for what an attack wants: for the target in most draws, or not for their class."""
    return right_share(votes, labels) <= 0.5 if targets is None else right_share(votes, targets) > 0.5
