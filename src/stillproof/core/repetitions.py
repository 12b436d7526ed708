"""How often a run still does the same kind of work, for those who decide whether preparing for it repays."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_repetitions: ContextVar[float] = ContextVar("repetitions", default=1.0)


@contextlib.contextmanager
def repeated(times: float) -> Iterator[None]:
    """Say, for a block, how often this process will do the like of it, this time too."""
    token = _repetitions.set(times)
    try:
        yield
    finally:
        _repetitions.reset(token)


def repetitions() -> float:
    """Return that number; 1 where nobody said it."""
    return _repetitions.get()
