"""What a library's code is given of the process while it attacks: generators of its own, and nobody to talk to."""

from __future__ import annotations

import logging
import random
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from stillproof.core.seeds import Seeds


@contextmanager
def seeded(seeds: Seeds, device: str) -> Iterator[None]:
    """Lend a seed to all global generators, numpy's, Python's and torch's, and put these back."""
    numpys, pythons = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        np.random.seed(seeds.child("numpy").integer() % 2**32)  # noqa: NPY002
        random.seed(seeds.child("python").integer())
        with seeds.child("torch").lent_to_torch(device), torch.enable_grad():
            yield
    finally:
        np.random.set_state(numpys)  # noqa: NPY002
        random.setstate(pythons)


@contextmanager
def silent(library: str) -> Iterator[None]:
    """Let nothing through that a library prints, draws as a progress bar, logs or warns of.

    Only what this thread writes is dropped: another one may be drawing the progress of the run.
    """
    log, streams = logging.getLogger(library), (sys.stdout, sys.stderr)
    level = log.level
    try:
        log.setLevel(logging.CRITICAL + 1)
        sys.stdout, sys.stderr = _Muted(streams[0]), _Muted(streams[1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.stdout, sys.stderr = streams
        log.setLevel(level)


@contextmanager
def replaced(module: Any, **others: Any) -> Iterator[None]:
    """Let names in a module stand for something else for a block; only that module sees it."""
    before = {name: getattr(module, name) for name in others}
    try:
        vars(module).update(others)
        yield
    finally:
        vars(module).update(before)


class _Muted:
    """A stream that drops what one thread writes to it."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._thread = stream, threading.get_ident()

    def write(self, text: str) -> int:
        """Write, unless it is that thread that does."""
        if threading.get_ident() == self._thread:
            return len(text)
        written: int = self._stream.write(text)
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
