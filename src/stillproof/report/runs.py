"""Finds the run that a table or a picture is made from."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.spec import Json
from stillproof.store.records import Run
from stillproof.store.results import is_prefix
from stillproof.store.store import Store

TRAINED = ("select", "train")  # stages

AnyRun = Run | int | str  # a run, its number, its name, the beginning of its hash, or a suite for its newest


def newest_run(store: Store, suite: str) -> Run:
    """Return the newest run of ``suite``; the store alone is asked, so the suite need not be installed here.

    Raises:
        BadInput: There is none; the sentence names a suite that has one, if its name is close.
    """
    run = store.results.last_run(suite)
    if run is not None:
        return run
    close = difflib.get_close_matches(suite, {run.suite for run in store.results.runs()}, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"`stillproof run {suite}` runs it."
    raise BadInput(f"suite {suite!r} was never run on this store; {hint}")


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


def find_run(store: Store, text: str) -> Run:
    """Return the run that ``text`` means: its number, its name, the beginning of its hash, or a suite's newest.

    Raises:
        BadInput: There is none, or there are several.
    """
    return _find(store.results.runs(), text)


def run_meant(store: Store, run: AnyRun) -> Run:
    """Return a run as it is, or the one that a number or a text means.

    Raises:
        BadInput: There is none, or there are several.
    """
    return run if isinstance(run, Run) else find_run(store, str(run))


def find_run_or_call(store: Store, text: str) -> Run:
    """Return the run, or the single call of ``train`` or ``distill``, that ``text`` means.

    Raises:
        BadInput: There is none, or there are several.
    """
    return _find(store.results.runs_and_calls(), text)


def chosen_run(store: Store, suite: str | None, text: str | None) -> Run:
    """Return the run that a table is made from: the one that is named or, without a name, the newest of the suite.

    Raises:
        BadInput: Neither is given, there is none, or the run that is named is one of another suite.
    """
    if text is None:
        if suite is None:
            raise BadInput("name a suite, or a run with --run (run= in Python); `stillproof status` lists them.")
        return newest_run(store, suite)
    run = find_run(store, text)
    if suite not in (None, run.suite):
        raise BadInput(f"{called(run)} is of suite {run.suite!r}, not {suite!r}: leave the suite out, or name another.")
    return run


def called(run: Run) -> str:
    """Return what a run, or a single call, is called: its number, and its name if it has one."""
    return f"{run.verb} {run.id}" + (f" {run.name!r}" if run.name else "")


def _find(runs: Sequence[Run], text: str) -> Run:
    exact = [run for run in runs if text in (str(run.id), run.name, run.hash)]
    begun = [run for run in runs if is_prefix(text) and run.hash.startswith(text)]
    found = exact[:1] or begun or [run for run in runs if run.suite == text][:1]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{text!r} is the beginning of {len(found)} runs: write more of it.")
    known = [name for run in runs for name in (run.name, run.suite) if name]
    close = difflib.get_close_matches(text, dict.fromkeys(known), n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else "`stillproof status` lists them."
    raise BadInput(f"this store has no run {text!r}; {hint}")
