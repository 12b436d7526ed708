"""stillproof zoo: distilled sets that come with Stillproof."""

from __future__ import annotations

from typing import Annotated

import typer

from stillproof.cli.command_group import WholeHelp
from stillproof.cli.options import JsonOption, OutOption, StoreOption
from stillproof.cli.output import write, write_json, write_table
from stillproof.cli.session import session

app = typer.Typer(
    cls=WholeHelp,
    help="List and get the distilled sets that come with Stillproof.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_command(as_json: JsonOption = False) -> None:
    """List the sets of the zoo."""
    from stillproof.core.amounts import size
    from stillproof.store.zoo import zoo_sets

    found = zoo_sets()
    if as_json:
        write_json({"sets": [one.as_dict() for one in found]})
        return
    rows = [(one.name, one.dataset, one.method, str(one.ipc), size(one.bytes), one.licence) for one in found]
    header = ("name", "data set", "method", "ipc", "size", "licence")
    numbers = [title in ("ipc", "size") for title in header]
    write_table(header, rows, "`stillproof zoo get NAME` copies one into the store", numbers)


@app.command("get")
def get(
    name: Annotated[str, typer.Argument(help="Name of the set, as zoo list has it.")],
    out: OutOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy a set from the zoo into the store, under its name."""
    from stillproof.store.zoo import zoo_set

    found = zoo_set(name)
    with session(store, None) as opened:
        artifact = opened.zoo_get(name, out)
        path = opened.store.artifacts.folder(artifact)
    if as_json:
        write_json(found.as_dict() | {"path": str(path), "out": None if out is None else str(out)})
        return
    write(f"{name}: {found.method}, {found.ipc} images per class of {found.dataset}, artifact {artifact[:12]}")
    write(f"made by: {found.command}\nlicence: {found.licence}; source: {found.source}")
    if out is not None:
        write(f"copied to {out}")
    write(f"next: stillproof train {name}")
