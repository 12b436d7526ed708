"""stillproof attack-bench: how strong are attacks, ours and other libraries', at the same number of passes?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.attack_options import NORMS, CheckpointNetworkOption, DrawsOption, LimitOption, eps_of
from stillproof.cli.options import (
    DataOption,
    DeviceOption,
    JsonOption,
    PluginOption,
    StoreOption,
    WorkersOption,
    one_of,
    split_list,
)
from stillproof.cli.output import say, write_json
from stillproof.cli.session import session
from stillproof.cli.table import FormatOption, NotesOption, checked_format, print_file, print_text


def command(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="One or more models, as `attack` takes them.")
    ],
    dataset: Annotated[str, typer.Option("--dataset", help="Data set that they were trained for.")],
    norm: Annotated[str, typer.Option("--norm", help="Norm of changes: Linf, L2 or L1.")] = "Linf",
    attack: Annotated[
        str | None,
        typer.Option("--attack", help="Compare only these attacks, comma-separated: fmn,adv-lib/fmn. [default: all]"),
    ] = None,
    limit: LimitOption = None,
    budget: Annotated[
        int, typer.Option("--budget", help="Passes allowed for each image, forward and backward together.")
    ] = 2000,
    eps: Annotated[
        str | None,
        typer.Option("--eps", help="Radius to report robust accuracy at. [default: median of the best known]"),
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write the curves to this file: png, pdf or svg.")] = None,
    form: FormatOption = "text",
    notes: NotesOption = False,
    seed: DrawsOption = 0,
    network: CheckpointNetworkOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = 1,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare how strong attacks are at equal numbers of passes.

    Each is measured against the nearest change that any of them finds.
    """
    from stillproof.report.drawing.save import check_ending, save_figure

    chosen, shown = one_of("norm", norm, NORMS), checked_format(form, as_json, notes=notes)
    if plot is not None:
        check_ending(plot)
    with session(store, data, plugin, workers, device) as opened:
        found = opened.attack_bench(
            models,
            dataset,
            norm=chosen,
            attacks=split_list(attack),
            limit=limit,
            budget=budget,
            eps=eps_of(eps),
            seed=seed,
            network=network or "",
        )
    if plot is not None:
        save_figure(found.figure(), plot)
        say(f"curves: {plot}")
    if shown == "json":
        write_json(found.as_dict())
    elif shown == "text":
        print_text([found.table()], ", ".join(found.models))
    else:
        print_file([found.table()], shown, notes)
