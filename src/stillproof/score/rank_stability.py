"""How stable a ranking is: where methods would stand with other seeds and other test images."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.score.difference import DIGITS
from stillproof.score.rank_correlation import Floats, kendall, signs
from stillproof.score.tiers import MethodAnswers, Over

RESAMPLES = 2000
BLOCK = 100  # resamples of images whose weights are held at a time


@dataclass(frozen=True, slots=True)
class RankShares:
    """In which share of the resamples a method stands at each rank, from the first on; equals share the better one."""

    shares: Sequence[float]

    @property
    def first(self) -> float:
        """Return in which share it is first."""
        return self.shares[0]

    def as_dict(self) -> Json:
        """Return the shares as JSON values."""
        return {"first": self.first, "ranks": list(self.shares)}


@dataclass(frozen=True, slots=True)
class Stability:
    """How stable a ranking is.

    Args:
        methods: By method; none for one that lacks a value, and for all where nothing can be resampled.
        kendall: The mean of Kendall's tau-b between the order that was observed and those of the resamples; none where
            one of them is no order.
        over: What was resampled.
        resamples: How many there are.
    """

    methods: Mapping[str, RankShares | None]
    kendall: float | None
    over: Over
    resamples: int

    def as_dict(self) -> Json:
        """Return the stability as JSON values."""
        shares = {name: None if found is None else found.as_dict() for name, found in self.methods.items()}
        return {"methods": shares, "kendall": self.kendall, "over": self.over, "resamples": self.resamples}


def rank_stability(
    methods: Mapping[str, MethodAnswers], seeds: Seeds, *, lower_is_better: bool = False, shared_seeds: bool = True
) -> Stability:
    """Return where methods stand in a bootstrap over seeds and test images together.

    A resample has the same images for all methods, and the same seeds where they are shared. Where the outcomes of a
    method are not stored, seeds alone are resampled. Of few seeds a bootstrap shows less variation than there is.

    Args:
        methods: Their answers, all for the same test images in the same order; where outcomes of all are stored, these
            are ranked by the share of images that are right.
        seeds: Where the resamples are drawn from.
        lower_is_better: Whether a low value is a good one.
        shared_seeds: Whether the seeds of all methods are the same in the same order.
    """
    ranked = {name: known for name, answers in methods.items() if (known := answers.known()) is not None}
    stored = [right for name in ranked if (right := methods[name].right) is not None]
    by_images = bool(ranked) and len(stored) == len(ranked)
    by_seeds = any(len(known) > 1 for known in ranked.values())
    over: Over = "seeds and images" if by_seeds and by_images else "seeds" if by_seeds else "nothing"
    over = "images" if by_images and not by_seeds else over
    if over == "nothing":
        return Stability(dict.fromkeys(methods), None, over, 0)
    chosen = list(_seeds(ranked, seeds, shared_seeds=shared_seeds))
    if by_images:
        means = _means_over_images(stored, chosen, seeds)
    else:
        columns = zip(ranked.values(), chosen, strict=True)
        means = np.stack([(weights @ np.asarray(known)) for known, weights in columns], 1)
    sign = -1 if lower_is_better else 1
    drawn = sign * means.round(DIGITS)
    observed = np.array([sign * round(math.fsum(known) / len(known), DIGITS) for known in ranked.values()])
    return Stability(_shares(methods, list(ranked), drawn), _order_kept(observed, drawn), over, RESAMPLES)


def _seeds(ranked: Mapping[str, Sequence[float]], seeds: Seeds, *, shared_seeds: bool) -> Iterator[Floats]:
    """Yield how much each seed of a method weighs in each resample, (resamples, seeds)."""
    if shared_seeds and len({len(known) for known in ranked.values()}) > 1:
        raise BadInput("methods have different numbers of seeds, so that they cannot be paired: name those of all.")
    for name, known in ranked.items():
        rng = (seeds.child("seeds") if shared_seeds else seeds.child("seeds", name)).numpy()
        count = len(known)
        yield rng.multinomial(count, np.full(count, 1 / count), size=RESAMPLES) / count


def _means_over_images(stored: Sequence[NDArray[np.bool_]], chosen: Sequence[Floats], seeds: Seeds) -> Floats:
    """Return the share of right images of each method in each resample, (resamples, methods)."""
    if len({right.shape[1:] for right in stored}) > 1:
        raise BadInput("outcomes are of different numbers of test images: compare methods on the same ones.")
    if any(len(right) != weights.shape[1] for right, weights in zip(stored, chosen, strict=True)):
        raise BadInput("outcomes and values are of different numbers of seeds: give one row of outcomes for each seed.")
    every = np.concatenate(stored).astype(np.float32)  # (all seeds of all methods, images)
    ends = np.cumsum([len(right) for right in stored])[:-1]
    blocks = [weights @ every.T for weights in _image_weights(every.shape[1], seeds)]  # sums of whole numbers: exact
    shares = np.concatenate(blocks).astype(np.float64) / every.shape[1]
    columns = zip(np.split(shares, ends, axis=1), chosen, strict=True)
    return np.stack([(right * weights).sum(1) for right, weights in columns], 1)


def _image_weights(images: int, seeds: Seeds) -> Iterator[NDArray[np.float32]]:
    """Yield how often each image is in each resample, a block of these at a time."""
    rng = seeds.child("images").numpy()
    rows = np.arange(BLOCK)[:, None] * images
    for _ in range(0, RESAMPLES, BLOCK):
        drawn = rng.integers(0, images, (BLOCK, images)) + rows
        yield np.bincount(drawn.ravel(), minlength=BLOCK * images).reshape(BLOCK, images).astype(np.float32)


def _shares(methods: Mapping[str, MethodAnswers], ranked: Sequence[str], drawn: Floats) -> dict[str, RankShares | None]:
    ranks = (drawn[:, None, :] > drawn[:, :, None]).sum(2)  # (resamples, methods), from 0
    found: dict[str, RankShares | None] = dict.fromkeys(methods)
    for column, name in enumerate(ranked):
        counts = np.bincount(ranks[:, column], minlength=len(ranked))
        found[name] = RankShares([int(count) / len(drawn) for count in counts])
    return found


def _order_kept(observed: Floats, drawn: Floats) -> float | None:
    """Return the mean tau-b of the resamples that are an order with the one that was observed."""
    taus = kendall(signs(observed), signs(drawn), np.ones(drawn.shape))
    known = taus[~np.isnan(taus)]
    return float(known.mean()) if len(known) else None
