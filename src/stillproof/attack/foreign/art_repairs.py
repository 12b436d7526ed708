"""What adversarial-robustness-toolbox 1.20.1 needs to do what it means to do, beside today's numpy and torch."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from stillproof.attack.foreign.isolation import replaced

# Their ``y`` is the class to go to, with no word of ``targeted``: without a target they must get none.
Y_IS_TARGET = frozenset({"SaliencyMapMethod", "ShadowAttack", "LowProFool", "TargetedUniversalPerturbation"})
NEEDS_TARGET = frozenset({"TargetedUniversalPerturbation"})
WANTS_MORE = frozenset({"SignOPTAttack"})  # to be targeted: an image that is taken for the target already
PROBABILITIES = frozenset({"SimBA", "VirtualAdversarialMethod"})  # is what they want of the model, and they say so
# By default it takes the mean of 400 noisy copies of the image, which are drawn once: 120,001 forward passes.
OWN_DEFAULTS: dict[str, dict[str, Any]] = {"ShadowAttack": {"batch_size": 1}}
RESIZED = 32  # pixels on a side of what ZOO searches, whatever the image
CAUGHT = 3  # times its budget, after which GeoDA will not find a first image that fools the model: it has no end of it


@contextmanager
def mended(module: str) -> Iterator[None]:
    """Give a module of theirs, for a block, the numpy that it was written for, and a working folder without files.

    ``np.mat`` is gone since numpy 2; a ``RandomState()`` without a seed is one of the operating system's; and GeoDA
    keeps tables in the working folder, where any file of that name would be taken for one.
    """
    theirs = sys.modules[module]
    others: dict[str, Any] = {"np": _Numpy()}
    if hasattr(theirs, "os"):
        others["os"] = SimpleNamespace(path=SimpleNamespace(exists=lambda path: False))
    with replaced(theirs, **others):
        yield


def mend_attack(attack: Any, shape: tuple[int, ...]) -> None:
    """Fit an attack to images of a shape, (C, H, W)."""
    size = min(shape[1:])
    match type(attack).__name__:
        case "GeoDA":
            # Of a grid of size x size pixels there are so many frequencies in each direction, and no more.
            attack.sub_dim = min(attack.sub_dim, size)
            attack._generate_2d_dct_basis = _dct_basis
        case "ZooAttack" if attack.use_resize and size < RESIZED:
            # What is made larger for the search and small again is another image before anything was searched.
            attack._init_size = size
            attack.nb_parallel = min(attack.nb_parallel, shape[0] * size**2)


def most_forwards(attack: Any) -> float | None:
    """Return the forward passes after which an attack goes on for ever; None if it ends by itself."""
    return CAUGHT * float(attack.max_iter) if type(attack).__name__ == "GeoDA" else None


@functools.cache
def _dct_basis(sub_dim: int, res: int) -> Any:
    """Return what GeoDA makes anew for each image, in a matter of seconds for large ones."""
    geoda = sys.modules["art.attacks.evasion"].GeoDA
    with mended(geoda.__module__):
        return geoda._generate_2d_dct_basis(sub_dim, res)


class _Numpy:
    """numpy, and what is gone from it."""

    mat = staticmethod(np.asmatrix)

    def __init__(self) -> None:
        self.random = _Random()

    @staticmethod
    def save(*args: Any, **kwargs: Any) -> None:
        """Keep nothing."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


class _Random:
    """numpy's random numbers, where what has no seed of its own has one of the global generator."""

    @staticmethod
    def RandomState(seed: Any = None) -> Any:  # noqa: N802
        """Return a generator."""
        return np.random.RandomState(np.random.randint(2**32, dtype=np.int64) if seed is None else seed)  # noqa: NPY002

    def __getattr__(self, name: str) -> Any:
        return getattr(np.random, name)
