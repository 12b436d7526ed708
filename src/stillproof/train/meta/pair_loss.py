"""MAD's loss F: cross-entropy of attacked images, and how far the network's answers to their clean sources are."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.train.meta.attacked_data import Pairs


@dataclass(frozen=True)
class MixedPairs:
    """Pairs on their way into the network, with what they hold of each class.

    Args:
        attacked: The attacked images, (B, C, H, W).
        clean: What each was made of.
        shares: What they hold of each class, (B, classes).
    """

    attacked: Tensor
    clean: Tensor
    shares: Tensor

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.shares)

    def part(self, where: slice) -> MixedPairs:
        """Return some of them."""
        return MixedPairs(self.attacked[where], self.clean[where], self.shares[where])


def mixed(pairs: Pairs, num_classes: int, alpha: float, seeds: Seeds) -> MixedPairs:
    """Mix pairs with each other by one weight from Beta(alpha, alpha); none are mixed if alpha is 0.

    Both images of a pair meet the same partner by the same weight, so that the one is still what the other was made of.
    (The original mixes support and query with one weight each, and labels alone know of it.)
    """
    whole = unmixed(pairs, num_classes)
    if not alpha:
        return whole
    weight = float(seeds.child("weight").numpy().beta(alpha, alpha))
    order = torch.randperm(len(pairs), generator=seeds.child("partners").torch()).to(whole.shares.device)
    both = (whole.attacked, whole.clean, whole.shares)
    return MixedPairs(*(weight * values + (1 - weight) * values[order] for values in both))


def unmixed(pairs: Pairs, num_classes: int) -> MixedPairs:
    """Return pairs as they are, each of one class."""
    shares = F.one_hot(pairs.labels, num_classes).to(pairs.attacked.dtype)
    return MixedPairs(pairs.attacked, pairs.clean, shares)


def pair_loss(attacked: Tensor, clean: Tensor, shares: Tensor, *, eta: float, smoothing: float) -> Tensor:
    """Return F, the mean over images, from logits of both (B, classes).

    Args:
        attacked: Logits of the attacked images.
        clean: Logits of their sources.
        shares: What the images hold of each class.
        eta: Weight of the symmetrised divergence KL(attacked, clean) + KL(clean, attacked).
        smoothing: Share of the target that all classes have alike.
    """
    if attacked.shape != shares.shape:
        raise BadInput(
            f"the network says {attacked.shape[1]} numbers of an image, and there are {shares.shape[1]} classes."
        )
    loss = F.cross_entropy(attacked, shares, label_smoothing=smoothing)
    if not eta:
        return loss
    one, other = attacked.log_softmax(1), clean.log_softmax(1)
    # KL(p, q) + KL(q, p) = sum of (p - q) (log p - log q)
    apart = ((one.exp() - other.exp()) * (one - other)).sum(1).mean()
    return loss + eta * apart
