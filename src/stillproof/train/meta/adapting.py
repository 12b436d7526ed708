"""What a network says of images under an attack once it has adapted to a few others under the same attack."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.modules.batchnorm import _BatchNorm

from stillproof.core.seeds import Seeds
from stillproof.nets.chunks import chunk_size, most_at_once
from stillproof.train.meta.attacked_data import AttackedData, Pairs
from stillproof.train.meta.episodes import draw_classes, draw_of_each
from stillproof.train.meta.meta_step import PairNetwork, Weights, stepped
from stillproof.train.meta.pair_loss import unmixed


@dataclass(frozen=True)
class Shots:
    """The size of what a network adapts to and is judged by.

    Args:
        shots: Images per class that it adapts to.
        queries: Images per class that it is judged by; fewer where there are not so many.
        classes: Classes at most.
    """

    shots: int
    queries: int
    classes: int = 10


def draw_shots(
    shots: AttackedData, judged: AttackedData, attack: int, size: Shots, seeds: Seeds
) -> tuple[Pairs, Pairs]:
    """Return the images under one attack to adapt to, and those to be judged by."""
    generator = seeds.torch()
    few, others = shots.attacks[attack], judged.attacks[attack]
    classes = draw_classes([few], size.classes, generator)
    left = min(int((others.labels == label).sum()) for label in classes)
    support = draw_of_each(few, classes, size.shots, generator)
    query = draw_of_each(others, classes, max(1, min(size.queries, left)), generator)
    return shots.pairs([(attack, support)]), judged.pairs([(attack, query)])


def adapted(network: PairNetwork, weights: Weights, pairs: Pairs, num_classes: int, size: float) -> Weights:
    """Return the weights after one step on a few images, which are not mixed."""
    gradient, _ = network.gradient(weights, unmixed(pairs, num_classes))
    return stepped(weights, gradient, size)


@torch.no_grad()
def said_of(network: PairNetwork, weights: Weights, images: Tensor) -> Tensor:
    """Return the predicted class of images of the body's space, (N,) int64 on the CPU; -1 where it says no number."""
    network.body.eval()  # no dropout; norms that adapt have done so by now
    if network.norms == "episode":
        for module in network.body.modules():
            module.train(isinstance(module, _BatchNorm))
    size = chunk_size(len(images), most_at_once(network.body))
    said = torch.cat([_class_of(network.logits(weights, part)).cpu() for part in torch.split(images, size)])
    network.body.train(network.norms != "fixed")
    return said


def _class_of(logits: Tensor) -> Tensor:
    """Return the class of the largest logit; -1 if that is infinite or no number, which argmax would call a class."""
    largest, said = logits.max(1)
    return torch.where(largest.isfinite(), said, -1)


def right_of(network: PairNetwork, weights: Weights, images: Tensor, labels: Tensor) -> int:
    """Return how many of the images are right."""
    return int((said_of(network, weights, images) == labels.cpu()).sum())
