"""MAD's robust baselines: which defence, and under which recipe, on a data set.

The recipes know by themselves what differs by data set. What differs in the defences stands here: digits are small and
easy, and have more steps. All attack within 8/255; where the authors' own radius for MNIST is 0.3, the step is the same
part of it as theirs, a thirtieth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stillproof.core.errors import UnknownName
from stillproof.core.reference import parse_reference

LIKE_MNIST = ("mnist", "digits", "fashion_mnist")  # data sets that are trained as MAD trains on MNIST
THIRTIETH = "step=8/7650"  # of 8/255


class Baseline(NamedTuple):
    """References of a defence and of the recipe that it trains under."""

    defence: str
    recipe: str


# By name: the defence on photographs, and on what is like MNIST.
BASELINES: Mapping[str, tuple[str, str]] = {
    "r-at": ("r-at", "r-at"),
    "r-fast": ("r-fast", "r-fast"),
    "r-free": ("r-free", "r-free"),
    "r-yopo": ("r-yopo", f"r-yopo:inner=10:{THIRTIETH}"),
    "r-atta": ("r-atta:step=0.007", f"r-atta:steps=40:{THIRTIETH}:reset=0:padding=0:flip=false"),
}


def baseline_for(name: str, dataset: str) -> Baseline:
    """Return a baseline as it is on a data set, named as ``mnist`` or ``resized:of=mnist:size=32``.

    Raises:
        UnknownName: There is no baseline of that name.
    """
    if name not in BASELINES:
        raise UnknownName("baseline", name, BASELINES)
    called, given = parse_reference(dataset)
    photographs, digits = BASELINES[name]
    return Baseline(digits if given.get("of", called) in LIKE_MNIST else photographs, name)
