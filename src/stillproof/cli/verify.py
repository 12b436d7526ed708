"""stillproof verify: results of others, computed again."""

from __future__ import annotations

from typing import Annotated

import typer

from stillproof.cli.options import DataOption, DeviceOption, JsonOption, PluginOption, SomeWorkersOption, StoreOption
from stillproof.cli.output import say, write, write_json
from stillproof.cli.session import session, unmade_store
from stillproof.cli.table import print_text
from stillproof.core.errors import CellFailed


def command(
    results: Annotated[
        str,
        typer.Argument(
            metavar="NAME[/METHOD[/IPC]]",
            help="Results that come with Stillproof, imported results or a bundle's file; of some rows or all.",
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate the cost, and compute nothing.")] = False,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: SomeWorkersOption = None,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute results and check whether they lie in their claimed intervals.

    What the store already has is not computed again; with a new store (--store), everything is.
    """
    if dry_run:
        with unmade_store(store) as place, session(place, data, plugin, workers, device) as opened:
            cost = opened.verify_cost(results)
        if as_json:
            write_json(cost.as_dict())
        else:
            write(repr(cost))
            say("nothing was computed (--dry-run)")
        return
    with session(store, data, plugin, workers, device) as opened:
        found = opened.verify(results)
    if as_json:
        write_json(found.as_dict())
    else:
        print_text([found.table()], found.name)
    if not found:
        raise CellFailed(f"{found.verdict()}.")
    say(found.verdict())
