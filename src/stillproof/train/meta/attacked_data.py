"""Attacked images with their clean sources, as episodes draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from stillproof.core.errors import BadInput
from stillproof.core.types import ImageSet


@dataclass(frozen=True)
class UnderAttack:
    """Images under one attack.

    Args:
        called: The attack.
        images: The images, (N, C, H, W), uint8.
        labels: Their true classes, (N,) int64.
        sources: Where in the split each came from, (N,) int64; none for distilled images, which are their own.
    """

    called: str
    images: Tensor
    labels: Tensor
    sources: Tensor
    distilled: bool = False

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.labels)

    def chosen(self, which: Tensor) -> UnderAttack:
        """Return some of the images, by a mask or by positions."""
        return UnderAttack(self.called, self.images[which], self.labels[which], self.sources[which], self.distilled)


@dataclass(frozen=True)
class Pairs:
    """Attacked images beside their own clean sources, both in the space of the network's body, on the device.

    Args:
        attacked: The attacked images, (B, C, H, W).
        clean: What each was made of.
        labels: Their true classes, (B,) int64.
    """

    attacked: Tensor
    clean: Tensor
    labels: Tensor

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.labels)


@dataclass(frozen=True)
class AttackedData:
    """Images under several attacks, and the split that they were made of.

    Args:
        attacks: The images under each attack.
        clean: The split.
        front: Takes pixels into the space of the network's body.
        device: Where pairs go.
    """

    attacks: Sequence[UnderAttack]
    clean: ImageSet
    front: nn.Module
    device: str

    def __post_init__(self) -> None:
        """Refuse images whose source is not known: nobody could say what they looked like."""
        for one in self.attacks:
            if not one.distilled and len(one) and int(one.sources.min()) < 0:
                raise BadInput(f"{one.called}: the sources of some images are not known, so that none can be compared.")

    def pairs(self, drawn: Sequence[tuple[int, Tensor]]) -> Pairs:
        """Return the drawn images, each a place among the attacks with positions in it, beside their sources."""
        chosen = [self.attacks[number].chosen(positions) for number, positions in drawn]
        sources = torch.cat([one.sources for one in chosen])
        attacked = torch.cat([one.images for one in chosen]).to(self.device).float().div_(255)
        with torch.no_grad():
            seen, before = self.front(attacked), self.front(self.clean.read(sources, self.device))
            before = torch.where((sources < 0).to(self.device).view(-1, 1, 1, 1), seen, before)
        return Pairs(seen, before, torch.cat([one.labels for one in chosen]).to(self.device))
