"""Untargeted attacks that aim: at the likeliest other classes, one after the other, until any wrong one is reached."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from stillproof.attack.base.crafting import Crafting


def one_by_one(crafting: Crafting, most: int) -> Iterator[Crafting]:
    """Yield images with the likeliest other class of each as its target, then with the next.

    What counts as fooled is not changed by it: any wrong class does. Images that are fooled come no more, unless the
    nearest change is looked for, which another class may have.

    Args:
        crafting: The images.
        most: The most classes that each image is aimed at.
    """
    crafting = crafting.looked()
    assert crafting.clean_logits is not None
    others = crafting.clean_logits.scatter(1, crafting.labels.unsqueeze(1), float("-inf"))
    ranked = others.argsort(dim=1, descending=True, stable=True)[:, : min(most, others.shape[1] - 1)]
    for number in range(ranked.shape[1]):
        if number:
            nearest = crafting.ledger.answer == "nearest"
            kept = crafting.staying() if nearest else crafting.unfooled()
            crafting, ranked = crafting.only(kept), ranked[kept]
        if not len(crafting):
            return
        yield dataclasses.replace(crafting.drawing("aim", number), targets=ranked[:, number])
