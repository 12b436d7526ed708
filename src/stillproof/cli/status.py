"""stillproof status: what the store holds, what runs, and what failed and why."""

from __future__ import annotations

import datetime

from stillproof.cli.options import JsonOption, StoreOption
from stillproof.cli.output import write, write_json, write_table


def command(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Show the runs of a store and the state of their cells."""
    from stillproof.store.store import open_store

    with open_store(store, create=False) as opened:
        counts = opened.results.counts()
        failed = opened.results.failures()
        runs = opened.results.runs()
    if as_json:
        write_json(
            {
                "store": opened.shown,
                "cells": counts,
                "runs": [{"id": r.id, "suite": r.suite, "created": r.created, "config": r.config} for r in runs],
                "failed": [{"cell": r.id, "stage": r.stage, "error": r.error} for r in failed],
            }
        )
        return
    write(f"store {opened.shown}")
    write_table(
        ("stage", "state", "cells"),
        [(stage, state, str(n)) for (stage, states) in counts.items() for state, n in states.items()],
    )
    rows = [(str(r.id), r.suite, _when(r.created), str(r.config.get("scale", ""))) for r in runs[:10]]
    write_table(("run", "suite", "when (UTC)", "scale"), rows, title="newest runs")
    if failed:
        reasons = [(r.id[:12], r.stage, (r.error or "").splitlines()[0]) for r in failed]
        write_table(("cell", "stage", "why it failed"), reasons, title="failed; the same command tries them again")


def _when(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
