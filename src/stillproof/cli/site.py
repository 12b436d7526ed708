"""stillproof site: the store as a static site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import DataOption, PluginOption, StoreOption
from stillproof.cli.output import write
from stillproof.cli.session import session


def command(
    out: Annotated[Path, typer.Argument(help="Folder to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that holds other files.")] = False,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
) -> None:
    """Write all results of the store as a static site.

    It works from a folder, asks no other host for anything, and can be put on any web server.
    """
    with session(store, data, plugin, reads=True) as opened:
        write(str(opened.site(out, force=force)))
