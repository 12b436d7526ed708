"""stillproof db backup and upgrade: what keeps a store safe and readable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import JsonOption, StoreOption
from stillproof.cli.output import say, write, write_json


def backup(
    file: Annotated[Path, typer.Argument(help="New file to copy the database to.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy the database of the store to a new file, also while a run writes to it.

    The artifacts stay where they are.
    """
    from stillproof.core.amounts import size
    from stillproof.store.backup import back_up
    from stillproof.store.location import artifacts_root, locate

    copied = back_up(store, file)
    written = file.stat().st_size
    if as_json:
        write_json({"store": str(copied), "file": str(file), "bytes": written})
        return
    write(f"{copied} is copied to {file} ({size(written)})")
    say(f"note: the artifacts stay in {artifacts_root(locate(store))}: copy that folder too, with your own tools.")


def upgrade(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Bring the schema of the store to this version's, with a copy beside it of what it was."""
    from stillproof.store.upgrade import upgrade_store

    done = upgrade_store(store)
    if as_json:
        write_json(done.as_dict())
    elif done.before == done.after:
        write(f"{done.store} has schema {done.after} already, which is that of this version")
    else:
        kept = f"; as it was, it is kept in {done.backup}" if done.backup else ""
        write(f"{done.store} is upgraded from schema {done.before or 'none'} to {done.after}{kept}")
