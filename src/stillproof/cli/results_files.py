"""stillproof db export-results and import-results: the results of a run as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import DataOption, JsonOption, PluginOption, StoreOption
from stillproof.cli.output import write, write_json
from stillproof.cli.session import session
from stillproof.report.bundle_facts import bundle_facts, bundle_line

STATES = {"new": "imported", "known": "here already", "replaced": "imported in place of others of that name"}


def export_command(
    run: Annotated[str, typer.Option("--run", help="Run: its number, name or hash, as status lists them.")],
    out: Annotated[Path, typer.Option("--out", help="File to write.")],
    name: Annotated[str | None, typer.Option("--name", help="Name of the results. [default: that of the run]")] = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the results of a run to one JSON file."""
    from stillproof.core.amounts import size

    with session(store, data, plugin, reads=True) as opened:
        bundle = opened.export_results(run, out, name=name)
    if as_json:
        write_json(bundle_facts(bundle) | {"file": str(out)})
        return
    write(f"{out}: {bundle_line(bundle)}, {size(out.stat().st_size)}")
    write(f"next: stillproof verify {out}")


def import_command(
    files: Annotated[list[str], typer.Argument(help="Bundles: files, or names of results that come with Stillproof.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace other results of the same name.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import results that were computed elsewhere.

    They are kept beside the store's own results and marked wherever they are shown; no run uses them.
    """
    with session(store, None) as opened:
        found = opened.import_results(files, replace=replace)
    if as_json:
        write_json({"results": [bundle_facts(one.bundle) | {"state": one.state} for one in found]})
        return
    for one in found:
        write(f"{bundle_line(one.bundle)}: {STATES[one.state]}")
