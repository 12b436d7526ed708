"""stillproof audit: is there something suspicious about a distilled set?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import DataOption, DeviceOption, JsonOption, PluginOption, StoreOption
from stillproof.cli.output import say, write_json
from stillproof.cli.session import session
from stillproof.cli.table import FormatOption, NotesOption, checked_format, print_file, print_text


def command(
    target: Annotated[
        str, typer.Argument(metavar="SET", help="Set to look at: artifact (id, name or folder) or third-party file.")
    ],
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Data set that it is compared with. [default: the set's own]")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write a picture of its most suspicious images: png, pdf or svg.")
    ] = None,
    form: FormatOption = "text",
    notes: NotesOption = False,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look for test images, copies and duplicates in a set, and at what its labels may know."""
    shown = checked_format(form, as_json, notes=notes)
    with session(store, data, plugin, device=device) as opened:
        found = opened.audit(target, dataset=dataset, out=out)
    if out is not None:
        say(f"picture: {out}")
    if shown == "json":
        write_json(found.as_dict())
    elif shown == "text":
        print_text([found.table()], found.dataset)
    else:
        print_file([found.table()], shown, notes)
