"""stillproof attack-set: the same images under many attacks, as data sets to learn and test defences on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from stillproof.cli.attack_options import CheckpointNetworkOption
from stillproof.cli.command_group import WholeHelp
from stillproof.cli.options import (
    DataOption,
    DeviceOption,
    JsonOption,
    PluginOption,
    StoreOption,
    WorkersOption,
    one_of,
    split_list,
    split_numbers,
)
from stillproof.cli.output import say, write, write_json
from stillproof.cli.pool import PoolOption, check_pool, put_into
from stillproof.cli.session import session
from stillproof.cli.table import print_text
from stillproof.core.errors import BadInput

app = typer.Typer(
    cls=WholeHelp,
    help="Build data sets of images under many attacks.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
SetArgument = Annotated[
    str | None, typer.Argument(metavar="[SET]", help="Number or name of the set, or a pool. [default: the newest]")
]


@app.command("build")
def build(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="[MAD-SET]",
            help="mad-m, mad-c or mad-t, each with its own victim; mad-quick and mad-smoke are small ones of digits.",
        ),
    ] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Data set, unless a MAD set is named.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Model to attack: id, name or folder, or a third-party checkpoint.")
    ] = None,
    attacks: Annotated[
        str | None,
        typer.Option(
            "--attacks",
            help="Comma-separated: mad (all thirty), mad-m, mad/13, pgd:steps=20; a later mad/8:max_iter=5 replaces "
            "the one before. [default: mad, or those of the MAD set]",
        ),
    ] = None,
    per_class: Annotated[
        int | None,
        typer.Option("--per-class", help="Images per class. [default: as many as the smallest class has]"),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option("--split", help="Shares for training, validation and test. [default: 14,5,11]"),
    ] = None,
    protocol: Annotated[
        str, typer.Option("--protocol", help="fair: sources are split once; faithful:mad: as MAD's code does.")
    ] = "fair",
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of the sources, of their split, and of the attacks.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name the set.")] = None,
    pool: PoolOption = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Estimate the cost from a few timed images of each attack, and build nothing."),
    ] = False,
    network: CheckpointNetworkOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = 1,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Attack images of every class, and keep the attacked images."""
    check_pool(pool)
    with session(store, data, plugin, workers, device) as opened:
        from stillproof.attack_set_question import asked_by_mad, asked_of
        from stillproof.model_finder import find_model

        named = split_list(attacks)
        if config is not None and (dataset or model):
            raise BadInput(
                f"{config} has its own data set and victim: leave out --dataset and --model, or leave out {config}."
            )
        if config is not None:
            question = asked_by_mad(config.lower(), protocol)
            if named is not None:
                question = question.but(attacks=asked_of(question.dataset, question.model, named).attacks)
        elif dataset is None or model is None:
            raise BadInput("name one of mad-m, mad-c, mad-t, mad-quick and mad-smoke, or give --dataset and --model.")
        else:
            found = find_model(opened, model, dataset, network or "")
            question = asked_of(dataset, found, ["mad"] if named is None else named, protocol)
        question = question.but(per_class=per_class, split=split_numbers(split, "--split"), seed=seed)
        if dry_run:
            forecast = opened.forecast_attack_set(question)
            if as_json:
                write_json(forecast.as_dict())
            else:
                write(repr(forecast))
            return
        made = opened.build_attack_set(question, name)
        put_into(opened, pool, made.artifacts)
    if as_json:
        write_json(made.as_dict())
    else:
        print_text([made.table()], made.name)


@app.command("show")
def show(given: SetArgument = None, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Show how well each attack of a set did."""
    with session(store, None, None, reads=True) as opened:
        found = opened.found_attack_set(given)
    if as_json:
        write_json(found.as_dict())
    else:
        print_text([found.table()], found.name)


@app.command("import")
def import_(
    folder: Annotated[
        Path, typer.Argument(help="Folder in MAD's layout: ATTACK/train|val|test/CLASS/CLASS_N.png, CLASS a number.")
    ],
    dataset: Annotated[str, typer.Option("--dataset", help="Data set that the images were made from.")],
    part: Annotated[str, typer.Option("--part", help="Which split of it.")] = "test",
    model: Annotated[
        str | None,
        typer.Option("--model", help="Model to classify the images: id, name or folder, or a third-party checkpoint."),
    ] = None,
    pool: Annotated[
        str | None, typer.Option("--pool", help="Pool to put the sets into. [default: the folder's name]")
    ] = None,
    network: CheckpointNetworkOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import attacked images from folders in MAD's layout.

    Each attack becomes a set; all of them are put into one pool.
    """
    with session(store, data, plugin) as opened:
        from stillproof.core.types import Split

        chosen = one_of("split", part, get_args(Split))
        found = opened.attack_set_import(folder, dataset, part=chosen, model=model, pool=pool, network=network or "")
    for sentence in found.found:
        say(f"found: {sentence}")
    if as_json:
        write_json(found.as_dict())
    else:
        print_text([found.made.table()], found.made.name)
        write(f"next: stillproof attack-set show {found.pool}")


@app.command("export")
def export(
    given: Annotated[str, typer.Argument(metavar="SET", help="Number or name of the set, or a pool.")],
    out: Annotated[Path, typer.Argument(help="Folder to write to, new or empty.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a set in MAD's layout: one folder for each attack."""
    with session(store, None, None, reads=True) as opened:
        folders = opened.attack_set_export(given, out)
    if as_json:
        write_json({"set": given, "folders": [str(folder) for folder in folders]})
    else:
        write("\n".join(map(str, folders)))


@app.command("gallery")
def gallery(
    out: Annotated[Path, typer.Option("--out", help="PNG file to write.")],
    given: SetArgument = None,
    store: StoreOption = None,
    data: DataOption = None,
) -> None:
    """Draw one image under every attack, with its change."""
    with session(store, data, None, reads=True) as opened:
        found = opened.attack_set_gallery(opened.found_attack_set(given), out)
    say(f"picture: {found}")
