"""Finds the run that a table or a picture is made from."""

from __future__ import annotations

import difflib

from stillproof.core.errors import BadInput
from stillproof.store.records import Run
from stillproof.store.store import Store


def newest_run(store: Store, suite: str) -> Run:
    """Return the newest run of ``suite``; the store alone is asked, so the suite need not be installed here.

    Raises:
        BadInput: There is none; the sentence names a suite that has one, if its name is close.
    """
    run = store.results.last_run(suite)
    if run is not None:
        return run
    close = difflib.get_close_matches(suite, {run.suite for run in store.results.runs()}, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"`stillproof run {suite}` does."
    raise BadInput(f"suite {suite!r} was never run on this store: {hint}")
