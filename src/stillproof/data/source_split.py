"""Chooses the images that attacks begin with, and divides them into those to learn, to choose by, and to test on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds

LEAST = 3  # images of a class, so that each role may have one


def chosen_sources(labels: NDArray[np.integer[Any]], per_class: int, seeds: Seeds) -> NDArray[np.int64]:
    """Return the sorted positions of so many images of every class, drawn at random."""
    drawn = [_shuffled(members, seeds.child("class", label))[:per_class] for label, members in _by_class(labels)]
    return np.sort(np.concatenate(drawn)).astype(np.int64)


def roles_of(labels: NDArray[np.integer[Any]], shares: Sequence[int], seeds: Seeds) -> NDArray[np.int8]:
    """Return the role of each image, 0, 1 or 2, drawn at random within its class.

    Args:
        labels: The classes of the images.
        shares: How many of each role there shall be, or in what proportion.
        seeds: The stream of the draws.
    """
    roles = np.zeros(len(labels), np.int8)
    for label, members in _by_class(labels):
        counts = divided(len(members), shares)
        roles[_shuffled(members, seeds.child("class", label))] = np.repeat(np.arange(len(counts)), counts)
    return roles


def divided(total: int, shares: Sequence[int]) -> list[int]:
    """Divide a number in proportion to the shares; what rounding leaves goes to the largest remainders."""
    exact = [total * share / sum(shares) for share in shares]
    counts = [int(one) for one in exact]
    order = sorted(range(len(shares)), key=lambda at: counts[at] - exact[at])
    for at in order[: total - sum(counts)]:
        counts[at] += 1
    return counts


def check_division(per_class: int, shares: Sequence[int]) -> None:
    """Refuse a division that leaves a role without an image of a class."""
    if len(shares) != 3 or any(share < 1 for share in shares):
        raise BadInput(
            f"split = {','.join(map(str, shares))} is not allowed: give three shares of at least 1: for training, "
            "validation and test."
        )
    if per_class < LEAST or min(divided(per_class, shares)) < 1:
        raise BadInput(
            f"{per_class} images per class cannot be divided as {':'.join(map(str, shares))} into images for "
            "training, validation and test: ask for more of them."
        )


def _by_class(labels: NDArray[np.integer[Any]]) -> list[tuple[int, NDArray[np.int64]]]:
    return [(int(label), np.flatnonzero(labels == label).astype(np.int64)) for label in np.unique(labels)]


def _shuffled(members: NDArray[np.int64], seeds: Seeds) -> NDArray[np.int64]:
    # numpy promises that the raw words of a bit generator never change; Generator.permutation may.
    keys = np.random.PCG64(seeds.integer()).random_raw(len(members))
    return members[np.argsort(keys, kind="stable")]
