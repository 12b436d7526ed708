"""stillproof db copy: a store moves from one database to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import JsonOption
from stillproof.cli.output import say, write, write_json
from stillproof.core.errors import StoreError


def command(
    source: Annotated[str, typer.Argument(metavar="FROM", help="Store to copy: a SQLite file or a URL.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Empty store to copy to, likewise.")],
    artifacts: Annotated[
        Path | None,
        typer.Option("--artifacts", help="FROM's artifacts. [default: beside its file, or $STILLPROOF_ARTIFACTS]"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Copy a whole store, row by row as it is, from SQLite to PostgreSQL or back."""
    from stillproof.cli.progress import Display
    from stillproof.core.amounts import size
    from stillproof.store.copy_store import copy_store

    with Display().follow("copying") as tell:
        done = copy_store(source, target, artifacts, tell)
    if done.shown:
        say(f"note: PostgreSQL cannot hold the letter NUL: {done.shown} texts have a sign in its place.")
    if as_json:
        write_json(done.as_dict())
    else:
        rows = ", ".join(f"{count} {table.replace('_', ' ')}" for table, count in done.rows.items() if count)
        files = f"{done.artifacts} artifacts written ({size(done.bytes)})" if done.bytes else "no artifact to copy"
        write(f"{done.source} is copied to {done.target}: {rows or 'no rows'}; {files}")
    if done.lost:
        raise StoreError(
            f"all rows are copied, but {len(done.lost)} artifacts are lost or damaged where they come from "
            f"({next(iter(done.lost.values()))}): the next run computes them again."
        )
