"""stillproof attack: how much of a model's accuracy do attacks leave?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.attack_options import (
    AttackOption,
    CheckOption,
    CheckpointNetworkOption,
    DrawsOption,
    EpsOption,
    LimitOption,
    NormOption,
    ProtocolOption,
    TargetedOption,
    limits_of,
)
from stillproof.cli.options import (
    DataOption,
    DeviceOption,
    JsonOption,
    PluginOption,
    StoreOption,
    WorkersOption,
    split_list,
    with_params,
)
from stillproof.cli.output import say, write_json
from stillproof.cli.session import session
from stillproof.cli.table import print_text


def command(
    model: Annotated[
        str, typer.Argument(help="Model: its id (or the start of it), name or folder, or a third-party checkpoint.")
    ],
    dataset: Annotated[str, typer.Option("--dataset", help="Data set that it was trained for.")],
    attack: AttackOption,
    eps: EpsOption = None,
    norm: NormOption = None,
    targeted: TargetedOption = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Parameter of the attacks as key=value; may be repeated.")
    ] = None,
    limit: LimitOption = None,
    protocol: ProtocolOption = "fair",
    check: CheckOption = False,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Copy the changed images, with a preview, to this folder.")
    ] = None,
    seed: DrawsOption = 0,
    network: CheckpointNetworkOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = 1,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how much of a model's accuracy attacks leave."""
    names = [with_params(name, settings) for name in split_list(attack) or []]
    limits = limits_of(eps, norm, targeted, protocol)
    with session(store, data, plugin, workers, device) as opened:
        score = opened.attack(
            model, dataset, names, **limits, limit=limit, seed=seed, check=check, keep=keep, network=network or ""
        )
    if as_json:
        write_json(score.as_dict())
        return
    print_text([score.table()], score.model)
    for one in score.attacks or (score,):
        if one.examples is not None:
            say(f"changed images of {one.attack}: {one.examples}")
