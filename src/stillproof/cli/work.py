"""stillproof work: a worker for runs that were planned, here or on another machine of the same store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import DataOption, DeviceOption, JsonOption, PluginOption, StoreOption
from stillproof.cli.output import say, write_json
from stillproof.cli.session import is_there, session
from stillproof.core.amounts import seconds_in
from stillproof.core.errors import StoreError

if TYPE_CHECKING:
    from stillproof.verbs.working import WorkDone


def command(
    run: Annotated[
        str | None, typer.Option("--run", help="Run: its number, name or hash. [default: all unfinished ones]")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--for", help="Stop after so long, such as 3h50m, with a checkpoint. [default: never]")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Threads to compute with. [default: as torch chooses]")
    ] = None,
    allow_plugin: Annotated[
        list[str] | None,
        typer.Option("--allow-plugin", metavar="HASH", help="Run this plug-in of the store; may be repeated."),
    ] = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute cells of runs that were planned (run --plan-only), together with any number of others.

    It ends when nothing is left that it could do, and gives back what it holds when it is stopped.
    """
    seconds = None if until is None else seconds_in(until, "--for")
    if not is_there(store):
        raise StoreError("there is no store to work on: plan a run first, with `stillproof run SUITE --plan-only`.")
    with session(store, data, plugin, 1, device) as opened:
        done = opened.work(run, seconds=seconds, threads=threads, allowed_plugins=allow_plugin or ())
    if as_json:
        write_json(done.as_dict())
    else:
        _tell(done)


def _tell(done: WorkDone) -> None:
    stopped = f"stopped ({done.stopped}); " if done.stopped else ""
    others = "; others compute them, or they wait for those" if done.left and not done.stopped else ""
    say(f"{stopped}{done.computed} cells computed here, {done.left} left{others}.")
    for reason, cells in done.refused.items():
        say(f"{cells} left alone: {reason}.")
