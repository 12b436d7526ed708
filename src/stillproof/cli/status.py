"""stillproof status: what the store holds, what runs, and what failed and why."""

from __future__ import annotations

import datetime
from typing import Annotated

import typer

from stillproof.cli.failures import show_causes
from stillproof.cli.options import JsonOption, StoreOption
from stillproof.cli.output import say, write, write_json, write_table


def command(
    only_failed: Annotated[
        bool, typer.Option("--failed", help="Only what failed: every cause with the places in the code.")
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the runs of a store and the state of their cells."""
    from stillproof.report.failures import causes_of
    from stillproof.store.store import open_store

    with open_store(store, create=False) as opened:
        counts = opened.results.counts()
        failed = opened.results.failures()
        runs = opened.results.runs()
    causes = causes_of(failed)
    if as_json:
        write_json(
            {
                "store": opened.shown,
                "cells": counts,
                "runs": [{"id": r.id, "suite": r.suite, "created": r.created, "config": r.config} for r in runs],
                "failed": [{"cell": r.id, "stage": r.stage, "error": r.error} for r in failed],
                "causes": [cause.as_dict() for cause in causes],
            }
        )
        return
    if only_failed:
        show_causes(causes, write)
        if not causes:
            say("nothing failed.")
        return
    write(f"store {opened.shown}")
    write_table(
        ("stage", "state", "cells"),
        [(stage, state, str(n)) for (stage, states) in counts.items() for state, n in states.items()],
    )
    rows = [(str(r.id), r.suite, _when(r.created), str(r.config.get("scale", ""))) for r in runs[:10]]
    write_table(("run", "suite", "when (UTC)", "scale"), rows, title="newest runs")
    if causes:
        reasons = [(str(cause.cells), cause.label, cause.sentence, cause.place) for cause in causes]
        title = "failed; the same command tries them again, and --failed tells more"
        write_table(("cells", "what failed", "why", "where"), reasons, title=title)


def _when(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
