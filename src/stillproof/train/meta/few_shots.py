"""Adaptation at test time: to a few images of an attack that nobody has seen, judged by images of other sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from stillproof.core.seeds import Seeds
from stillproof.train.meta.adapting import Shots, adapted, draw_shots, right_of, said_of
from stillproof.train.meta.attacked_data import AttackedData
from stillproof.train.meta.episodes import draw_classes, draw_of_each
from stillproof.train.meta.meta_step import Order, PairNetwork, Weights, finite, mean_through_steps, stepped
from stillproof.train.meta.pair_loss import MixedPairs, unmixed


@dataclass
class Found:
    """What came of the episodes so far, as a part of a loop that can be stopped and goes on.

    Args:
        right: How many attacked images are right before and after each step; a list for each episode.
        asked: How many attacked images that is of, for each episode.
        clean_before: How many clean images are right before all steps; -1 until that is known.
        clean_after: How many are right after the last step of each episode; where episodes go on from each other, of
            the best one so far.
        diverged: Episodes that ended early, since a step was not finite.
        weights: The state of the network after the first episode, or the best one where episodes go on from each other.
        waiting: Episodes since the best one, where episodes go on from each other.
    """

    right: list[list[int]] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    clean_before: int = -1
    clean_after: list[int] = field(default_factory=list)
    diverged: int = 0
    weights: Weights = field(default_factory=dict)
    waiting: int = 0

    def state_dict(self) -> dict[str, Any]:
        """Return all of it."""
        return dict(vars(self))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        vars(self).update(state)


@dataclass(frozen=True)
class Printed:
    """How episodes are as algorithm 2 has them.

    Args:
        ways: Attacks in the support set.
        inner: One step on all of it, or one for each attack.
        outer_lr: Step size on the images that are reported.
        clip: The longest gradient of a task.
        order: Whether the gradient goes through the inner step.
    """

    ways: int
    inner: Literal["joint", "each"]
    outer_lr: float
    clip: float
    order: Order


@dataclass(frozen=True)
class Adaptation:
    """A network in front of an attack that it adapts to.

    Args:
        network: The network.
        shots: Images to adapt to, under the attack; where episodes are as printed, those of known attacks follow.
        judged: Images to be judged by, under the attack, of other sources.
        clean: Clean images of the body's space, (N, C, H, W), on the device.
        labels: Their classes, (N,) int64.
        size: How many of each.
        lr: Step size on the images to adapt to.
    """

    network: PairNetwork
    shots: AttackedData
    judged: AttackedData
    clean: Tensor
    labels: Tensor
    size: Shots
    lr: float

    def fair_episode(self, steps: int, seeds: Seeds, found: Found) -> None:
        """Adapt by a fixed number of steps, from the network as it is, which stays so."""
        few, others = draw_shots(self.shots, self.judged, 0, self.size, seeds)
        self._look_before(found)
        weights = self.network.weights()
        as_it_was = self._state(weights)
        right = [right_of(self.network, weights, others.attacked, others.labels)]
        while len(right) <= steps:
            memory = self.network.memory()
            after = adapted(self.network, weights, few, self.judged.clean.num_classes, self.lr)
            said = said_of(self.network, after, others.attacked) if finite(after) else None
            if said is None or bool((said < 0).any()):  # finite weights may say what is not
                self.network.recall(memory)
                found.diverged += 1
                right += [right[-1]] * (steps + 1 - len(right))
                break
            weights = after
            right.append(int((said == others.labels.cpu()).sum()))
        found.right.append(right)
        found.asked.append(len(others))
        found.clean_after.append(self._clean_right(weights))
        found.weights = found.weights or self._state(weights)
        self.network.body.load_state_dict(as_it_was)

    def printed_episode(self, start: Weights, how: Printed, seeds: Seeds, found: Found) -> None:
        """Adapt as algorithm 2 has it: the weights go on from episode to episode, and learn from what judges them.

        The support set is of the attack and of known ones (a reconstruction: of attacks that are tested on there are
        fewer than five on Tiny-ImageNet). There is a step for each episode, as figure 7 has them, where line 9 as
        printed has a single one. What is right before is so by the weights at the very ``start``, on the same images.
        """
        _, others = draw_shots(self.shots, self.judged, 0, self.size, seeds.child("query"))
        supports = self._printed_supports(how, seeds)
        self._look_before(found)
        right = [right_of(self.network, start, others.attacked, others.labels)]
        query = unmixed(others, self.judged.clean.num_classes)
        stepped_through = mean_through_steps(
            self.network, supports, query, size=self.lr, order=how.order, clip=how.clip
        )
        weights = self.network.weights()
        if stepped_through is None:
            found.diverged += 1
        else:
            weights = stepped(weights, stepped_through[0], how.outer_lr)
            self.network.body.load_state_dict(self._state(weights))
        right.append(right_of(self.network, weights, others.attacked, others.labels))
        best = max((after / asked for (_, after), asked in zip(found.right, found.asked, strict=True)), default=-1.0)
        if right[1] / len(others) > best:
            found.waiting, found.weights = 0, self._state(weights)
            found.clean_after.append(self._clean_right(weights))
        else:
            found.waiting += 1
            found.clean_after.append(found.clean_after[-1])
        found.right.append(right)
        found.asked.append(len(others))

    def _printed_supports(self, how: Printed, seeds: Seeds) -> list[MixedPairs]:
        """Return the support set of an episode, or that of each attack by itself."""
        generator = seeds.torch()
        known = 1 + torch.randperm(len(self.shots.attacks) - 1, generator=generator)[: how.ways - 1]
        classes = draw_classes(self.shots.attacks[:1], self.size.classes, generator)
        drawn = [
            (way, draw_of_each(self.shots.attacks[way], classes, self.size.shots, generator))
            for way in (0, *known.tolist())
        ]
        parts = [drawn] if how.inner == "joint" else [[one] for one in drawn]
        return [unmixed(self.shots.pairs(part), self.judged.clean.num_classes) for part in parts]

    def _look_before(self, found: Found) -> None:
        if found.clean_before < 0:
            found.clean_before = self._clean_right(self.network.weights())

    def _clean_right(self, weights: Weights) -> int:
        return right_of(self.network, weights, self.clean, self.labels)

    def _state(self, weights: Weights) -> Weights:
        """Return the whole state of a network with other weights, as a copy."""
        state = self.network.with_shared({**self.network.body.state_dict(), **weights})
        return {name: value.detach().clone() for name, value in state.items()}
