"""stillproof pool: groups of distilled sets and models, under a name; and --pool of the verbs that make them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.attack_options import (
    AttackOption,
    CheckOption,
    CheckpointNetworkOption,
    EpsOption,
    LimitOption,
    NormOption,
    OptionalPolicy,
    ProtocolOption,
    TargetedOption,
    limits_of,
)
from stillproof.cli.command_group import WholeHelp
from stillproof.cli.options import (
    DataOption,
    DeviceOption,
    JsonOption,
    PluginOption,
    StoreOption,
    WorkersOption,
    split_list,
)
from stillproof.cli.output import say, write, write_json
from stillproof.cli.session import session

if TYPE_CHECKING:
    from stillproof.session import Session

app = typer.Typer(
    cls=WholeHelp, help="Group distilled sets and models under a name.", no_args_is_help=True, rich_markup_mode=None
)
NameArgument = Annotated[str, typer.Argument(help="Name of the pool.")]
PoolOption = Annotated[str | None, typer.Option("--pool", help="Also put the result into this pool.")]


@app.command("list")
def list_command(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the pools of the store."""
    from stillproof.report.pools import pools_table

    with session(store, None, None, reads=True) as opened:
        found = opened.pools()
    if as_json:
        write_json({"pools": [pool.as_dict() for pool in found]})
    elif found:
        write(repr(pools_table(found)))
    else:
        write("no pools yet: `stillproof pool add NAME ARTIFACT` makes one.")


@app.command("add")
def add(
    name: NameArgument,
    members: Annotated[
        list[str] | None, typer.Argument(help="Sets and models: names, ids, folders, or files that `import` reads.")
    ] = None,
    run: Annotated[
        str | None,
        typer.Option("--run", help="Add all sets and models of a run or single call: its number, name or hash."),
    ] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Data set that third-party files stand for.")] = None,
    network: CheckpointNetworkOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put sets and models into a pool, which is created if need be."""
    with session(store, None, None) as opened:
        new = opened.pool_add(name, members or [], run=run, dataset=dataset, network=network or "")
        pool = opened.pool(name)
    if as_json:
        write_json(pool.as_dict() | {"added": new})
    else:
        write(f"{len(new)} added, {len(pool.members)} in pool {name}\nnext: stillproof pool show {name}")


@app.command("show")
def show(name: NameArgument, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Show what is in a pool."""
    with session(store, None, None, reads=True) as opened:
        pool = opened.pool(name)
    if as_json:
        write_json(pool.as_dict())
    else:
        write(repr(pool.table()))


@app.command("export")
def export(
    name: NameArgument,
    out: Annotated[Path, typer.Option("--out", help="Folder to copy to.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy a pool to a folder that others can use."""
    with session(store, None, None, reads=True) as opened:
        places = opened.pool_export(name, out)
    if as_json:
        write_json({"pool": name, "folders": [str(place) for place in places]})
    else:
        write("\n".join(map(str, places)))


@app.command("score", cls=OptionalPolicy)
def score(
    name: NameArgument,
    attack: AttackOption,
    eps: EpsOption = None,
    norm: NormOption = None,
    targeted: TargetedOption = None,
    limit: LimitOption = None,
    protocol: ProtocolOption = "fair",
    check: CheckOption = False,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = 1,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Attack all models of a pool, and score them together.

    The scores are BEARD's: RR, AE on passes, and CREI.
    """
    limits = limits_of(eps, norm, targeted, protocol)
    with session(store, data, plugin, workers, device) as opened:
        found = opened.pool_scores(name, split_list(attack) or [], **limits, limit=limit, check=check)
    if as_json:
        write_json(found.as_dict())
    else:
        write(repr(found))


def check_pool(pool: str | None) -> None:
    """Refuse what is no name for a pool before any work is done for it."""
    from stillproof.store.pools import check_name

    if pool is not None:
        check_name(pool)


def put_into(opened: Session, pool: str | None, artifacts: Sequence[str]) -> None:
    """Put sets or models into a pool, if one is named."""
    if pool is not None:
        new = opened.pool_add(pool, artifacts)
        say(f"{len(new)} added to pool {pool}")
