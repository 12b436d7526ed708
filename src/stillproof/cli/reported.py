"""Reads the report that a verb shows: of the run, the sections and the methods that were asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.cli.options import load_components, split_list

if TYPE_CHECKING:
    from stillproof.report.run_report import RunReport


def reported(
    suite: str | None,
    run: str | None,
    section: str | None,
    methods: str | None,
    store: str | None,
    plugins: list[Path] | None,
) -> RunReport:
    """Return the report of a run, by default the newest of a suite, from whatever has been computed so far."""
    from stillproof.report.run_report import report_of
    from stillproof.report.runs import chosen_run
    from stillproof.store.store import open_store

    load_components(plugins)
    with open_store(store, create=False) as opened:
        return report_of(opened, chosen_run(opened, suite, run), split_list(section), split_list(methods))
