"""Finds the run that a table or a picture is made from."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.spec import Json
from stillproof.store.records import Run
from stillproof.store.store import Store

TRAINED = ("select", "train")  # stages


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


def trained_rows(store: Store, run: Run, sections: Collection[str] | None = None) -> list[Json]:
    """Return the rows of a run whose cells are trained networks, of all sections or of some.

    Raises:
        UnknownName: The run did not ask for one of the sections.
    """
    known = {str(row["section"]) for row in run.rows if row.get("section")}
    for name in sections or ():
        if name not in known:
            raise UnknownName("section", name, known)
    rows = [row for row in run.rows if row["cells"] and (sections is None or row.get("section") in sections)]
    records = store.results.get_many([row["cells"][0] for row in rows])
    trained = {cell for cell, record in records.items() if record.stage in TRAINED}
    return [row for row in rows if row["cells"][0] in trained]
