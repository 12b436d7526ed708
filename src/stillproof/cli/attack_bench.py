"""stillproof attack-bench: how strong are attacks, ours and other libraries', at the same number of passes?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.attack_options import NORMS, CheckpointNetworkOption, DrawsOption, LimitOption, eps_of
from stillproof.cli.options import (
    DataOption,
    JsonOption,
    PluginOption,
    StoreOption,
    WorkersOption,
    one_of,
    split_list,
)
from stillproof.cli.output import say, write, write_json
from stillproof.cli.session import session
from stillproof.cli.table import FORMATS, print_text


def command(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="One or more models, as `attack` takes them.")
    ],
    dataset: Annotated[str, typer.Option("--dataset", help="Data set that they were trained for.")],
    norm: Annotated[str, typer.Option("--norm", help="Norm of changes: Linf, L2 or L1.")] = "Linf",
    attack: Annotated[
        str | None,
        typer.Option("--attack", help="Only these attacks, comma-separated: fmn,adv-lib/fmn. [default: all]"),
    ] = None,
    limit: LimitOption = None,
    budget: Annotated[int, typer.Option("--budget", help="Most passes of each image, forward and backward.")] = 2000,
    eps: Annotated[
        str | None,
        typer.Option("--eps", help="Radius at which robust accuracy is said. [default: median of the best known]"),
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write the curves to this file: png, pdf or svg.")] = None,
    form: Annotated[str, typer.Option("--format", help="text, json, csv, md or latex.")] = "text",
    seed: DrawsOption = 0,
    network: CheckpointNetworkOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Run all attacks of a norm at the same number of passes, and say how near each comes to the best that is known."""
    from stillproof.report.drawing.save import check_ending, save_figure

    chosen, shown = one_of("norm", norm, NORMS), "json" if as_json else one_of("format", form, FORMATS)
    if plot is not None:
        check_ending(plot)
    with session(store, data, plugin, workers) as opened:
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
        from stillproof.report.tables.formats import FORMATS as FILES

        write(FILES[shown](found.table()))
