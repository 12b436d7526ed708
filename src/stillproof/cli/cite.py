"""stillproof cite: BibTeX of Stillproof, and of all that a run used."""

from __future__ import annotations

from typing import Annotated

import typer

from stillproof.cli.options import JsonOption, PluginOption, StoreOption, load_components
from stillproof.cli.output import write, write_json


def command(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]",
            help="Run or single call: its number, name or hash, or a suite for its newest. [default: Stillproof alone]",
        ),
    ] = None,
    store: StoreOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print BibTeX of Stillproof and of the suite, methods, attacks, networks and data sets of a run."""
    from stillproof.report.citations import as_bibtex, citations_of, own_citation
    from stillproof.report.runs import find_run_or_call
    from stillproof.store.read_store import read_store

    load_components(plugin)
    found = [own_citation()]
    if run is not None:
        with read_store(store) as opened:
            found = citations_of(opened, find_run_or_call(opened, run))
    if as_json:
        write_json({"citations": [one.as_dict() for one in found]})
    else:
        write(as_bibtex(found))
