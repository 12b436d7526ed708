"""stillproof train: train networks on a distilled set or on a data set, and score them."""

from __future__ import annotations

from typing import Annotated

import typer

from stillproof.cli.options import (
    AllowTestImagesOption,
    DataOption,
    DeviceOption,
    JsonOption,
    NetworkOption,
    PluginOption,
    StoreOption,
    WorkersOption,
    one_of,
)
from stillproof.cli.output import say, write, write_json
from stillproof.cli.pool import PoolOption, check_pool, put_into
from stillproof.cli.session import session
from stillproof.core.types import Selection

SELECTIONS: tuple[Selection, ...] = ("last", "heldout", "oracle")

RecipeOption = Annotated[str | None, typer.Option("--recipe", help="Recipe. [default: the artifact's, else dc-bench]")]
DefenceOption = Annotated[
    str | None, typer.Option("--defence", help="Adversarial training, such as pgd-at:eps=8/255; see `list defences`.")
]
SeedsOption = Annotated[int, typer.Option("--seeds", help="Number of trainings.")]
TestedOnOption = Annotated[str | None, typer.Option("--dataset", help="Data set to test on. [default: the set's own]")]


def command(
    target: Annotated[
        str, typer.Argument(help="Set to train on: artifact (id, name or folder), third-party file, or data set.")
    ],
    network: NetworkOption = "home",
    recipe: RecipeOption = None,
    defence: DefenceOption = None,
    seeds: SeedsOption = 5,
    selection: Annotated[str, typer.Option("--selection", help="last, heldout or oracle.")] = "last",
    dataset: TestedOnOption = None,
    allow_test_images: AllowTestImagesOption = False,
    pool: PoolOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = 1,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train and report test accuracy with its interval over seeds."""
    rule = one_of("selection", selection, SELECTIONS)
    check_pool(pool)
    with session(store, data, plugin, workers, device) as opened:
        score = opened.train(
            target,
            dataset=dataset,
            network=network,
            recipe=recipe,
            defence=defence,
            seeds=seeds,
            selection=rule,
            allow_test_images=allow_test_images,
        )
        put_into(opened, pool, score.models)
    if as_json:
        write_json(score.as_dict())
        return
    for caveat in score.caveats:
        say(f"note: {caveat}")
    write(score.sentences(target))
