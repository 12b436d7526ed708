"""Standard output is for results: what the code of plug-ins prints goes to standard error instead."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TextIO

_kept: list[TextIO] = []  # standard output, while plug-ins may be at work


def result_stream() -> TextIO:
    """Return where results go."""
    return _kept[-1] if _kept else sys.stdout


@contextlib.contextmanager
def results_apart() -> Iterator[None]:
    """Keep what is printed by others apart from results, for a block."""
    _kept.append(result_stream())
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _kept.pop()
