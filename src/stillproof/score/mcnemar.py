"""McNemar's test on paired images: are two classifiers, or two groups of them, right equally often?

What is tested is the *net score* of every image: in how many of the pairs only the first was right, less those in which
only the second was. With one pair it is 1, 0 or -1, and this is McNemar's test. With several pairs (seeds) it is the
test for clustered pairs, an image being a cluster: the answers of several networks for one image are no independent
evidence, so that adding up the tables of all seeds would find differences where there are none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtri

from stillproof.core.spec import Json
from stillproof.score.rank_correlation import Floats

FEW = 2000  # images that count for or against: up to so many, the chance is exact

Net = Mapping[int, int]  # number of images by net score


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A statistic with one degree of freedom, and how likely one as large is if there is no difference."""

    statistic: float
    p: float

    def as_dict(self) -> Json:
        """Return the test as JSON values."""
        return {"statistic": self.statistic, "p": self.p}


def mcnemar(net: Net) -> PairedTest:
    """Return the two-sided test of no difference.

    The statistic is (sum of net scores)^2 / (sum of their squares), which is (b - c)^2 / (b + c) for one pair. Its
    chance is exact for few images: if there is no difference, each net score is as likely to have the other sign. For
    one pair that is the binomial test. For many images it is that of chi-squared.
    """
    spread = sum(score**2 * images for score, images in net.items())
    if not spread:
        return PairedTest(0.0, 1.0)
    total = sum(score * images for score, images in net.items())
    statistic = total**2 / spread
    few = sum(images for score, images in net.items() if score) <= FEW
    return PairedTest(statistic, _sign_flips(net, abs(total)) if few else math.erfc(math.sqrt(statistic / 2)))


def interval_over_images(net: Net, pairs: int) -> tuple[float, float]:
    """Return the 95 % interval of a difference of accuracies over other test images, for these very networks.

    It is the normal interval of the mean net score after two images were added, one that counts once for either side:
    Bonett and Price's for one pair.
    """
    count = sum(net.values()) + 2
    mean = sum(score * images for score, images in net.items()) / count
    square = (sum(score**2 * images for score, images in net.items()) + 2) / count
    half = float(ndtri(0.975)) * math.sqrt((square - mean**2) / count)
    return max((mean - half) / pairs, -1.0), min((mean + half) / pairs, 1.0)


def _sign_flips(net: Net, total: int) -> float:
    """Return how likely the net scores add up to at least ``total``, either way, if each has a sign by chance."""
    sizes = {size: net.get(size, 0) + net.get(-size, 0) for size in {abs(score) for score in net if score}}
    most = sum(size * images for size, images in sizes.items())
    chances: Floats = np.ones(1)  # of every sum of those that are positive
    for size, images in sizes.items():
        spread = np.zeros(size * images + 1)
        spread[::size] = _fair_coins(images)
        chances = np.convolve(chances, spread)
    far = np.abs(2 * np.arange(most + 1) - most) >= total
    return min(1.0, math.fsum(chances[far]))


def _fair_coins(count: int) -> Floats:
    """Return how likely each number of heads is."""
    heads = np.arange(count + 1)
    logs: Floats = gammaln(count + 1) - gammaln(heads + 1) - gammaln(count - heads + 1) - count * math.log(2)
    return np.exp(logs)
