"""The spread of a ratio of means: a jackknife over the repetitions that the means are of."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stillproof.core.errors import Unsupported
from stillproof.score.stats import Summary, summarise


def jackknifed(statistic: Callable[[NDArray[np.intp]], float], count: int) -> Summary:
    """Return the statistic of all repetitions, with Student's interval from the jackknife's pseudo-values.

    There is no interval if there is one repetition, or the statistic is not defined without some of them.

    Args:
        statistic: Takes the places of repetitions to the statistic over these.
        count: How many repetitions there are.
    """
    places = np.arange(count)
    whole = statistic(places)
    if count < 2:
        return Summary(whole, None, count, None)
    try:
        without = [statistic(np.delete(places, place)) for place in places]
    except Unsupported:
        return Summary(whole, None, count, None)
    found = summarise([count * whole - (count - 1) * value for value in without])
    assert found.ci95 is not None
    half = (found.ci95[1] - found.ci95[0]) / 2
    return dataclasses.replace(found, mean=whole, ci95=(whole - half, whole + half))
