"""stillproof db: merge or copy stores, exchange results, back up, upgrade, remove a run, or tidy up."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from stillproof.cli import copy_store, keep_store, merge, results_files
from stillproof.cli.command_group import WholeHelp
from stillproof.cli.options import JsonOption, StoreOption
from stillproof.cli.output import say, write, write_json

FILES_STAY = "note: the files stay, since other stores may share this folder of artifacts."

app = typer.Typer(
    cls=WholeHelp,
    help="Merge or copy stores, exchange results, back up, upgrade, remove a run, or tidy up.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("merge")(merge.command)
app.command("copy")(copy_store.command)
app.command("export-results")(results_files.export_command)
app.command("import-results")(results_files.import_command)
app.command("backup")(keep_store.backup)
app.command("upgrade")(keep_store.upgrade)


@app.command("rm")
def rm(
    run: Annotated[
        str, typer.Argument(help="Run or single call: its number, name or hash; or imported results: their name.")
    ],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove a run with the cells and artifacts that nothing else uses, or imported results."""
    from stillproof.report.runs import called, find_run_or_call
    from stillproof.report.tables.table import Bytes
    from stillproof.report.tables.text import text_of
    from stillproof.store.remove_run import remove_run
    from stillproof.store.store import open_store

    with open_store(store, create=False) as opened:
        if all(run not in (other.name, other.suite) for other in opened.results.runs()) and opened.bundles.remove(run):
            if as_json:
                write_json({"results": run})
            else:
                write(f"the imported results {run!r} are removed")
            return
        found = find_run_or_call(opened, run)
        gone = remove_run(opened, found)
    if gone.files_stay:
        say(FILES_STAY)
    if as_json:
        stayed = [{"run": other.id, "name": other.name, "cells": count} for other, count in gone.stayed]
        more = {"stayed": stayed, "used_otherwise": gone.used_otherwise}
        write_json({"run": found.id, "cells": gone.cells, "artifacts": gone.artifacts, "bytes": gone.bytes} | more)
        return
    write(
        f"{called(found)} is removed, with {len(gone.cells)} cells and {len(gone.artifacts)} artifacts: "
        f"{text_of(Bytes(gone.bytes))} freed"
    )
    for other, count in gone.stayed:
        write(f"{count} of its cells stay: {called(other)} needs them")
    if gone.used_otherwise:
        write(f"{gone.used_otherwise} of its cells stay: cells that no run asked for need them")


@app.command("prune")
def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, and remove nothing.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove leftovers that nothing refers to; never an answer.

    These are unfinished cells, lost artifacts and stale checkpoints.
    """
    from stillproof.report.tables.table import Bytes
    from stillproof.report.tables.text import text_of
    from stillproof.store.prune import prune as prune_store
    from stillproof.store.store import open_store

    with open_store(store, create=False) as opened:
        gone = prune_store(opened, dry_run=dry_run)
    if gone.files_stay:
        say(FILES_STAY)
    if as_json:
        cells = [{"cell": cell.id, "stage": cell.stage, "state": cell.state} for cell in gone.cells]
        folders, checkpoints = ([str(path) for path in paths] for paths in (gone.folders, gone.checkpoints))
        files = {"artifacts": gone.artifacts, "folders": folders, "checkpoints": checkpoints, "bytes": gone.bytes}
        write_json({"dry_run": dry_run, "cells": cells} | files)
        return
    states = ", ".join(f"{count} {state}" for state, count in Counter(cell.state for cell in gone.cells).items())
    write(f"cells without an answer that no run needs: {states or 'none'}")
    write(f"artifacts that nothing refers to: {len(gone.artifacts) + len(gone.folders) or 'none'}")
    write(f"checkpoints that no cell goes on from: {len(gone.checkpoints) or 'none'}")
    write(f"{text_of(Bytes(gone.bytes))} {'would be freed; nothing was removed (--dry-run)' if dry_run else 'freed'}")
