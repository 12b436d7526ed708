"""stillproof compare: is the difference between two sets, models or methods real?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import (
    DataOption,
    DeviceOption,
    JsonOption,
    NetworkOption,
    PluginOption,
    RunOption,
    SectionOption,
    StoreOption,
    WorkersOption,
    split_list,
)
from stillproof.cli.output import write_json
from stillproof.cli.session import read_first
from stillproof.cli.table import print_text
from stillproof.cli.train import RecipeOption, SeedsOption, TestedOnOption

if TYPE_CHECKING:
    from stillproof.report.compare.table import Comparisons
    from stillproof.session import Session


def command(
    names: Annotated[
        list[str],
        typer.Argument(help="What to compare: methods of one run, or models, or sets (artifacts, files, data sets)."),
    ],
    network: NetworkOption = "home",
    recipe: RecipeOption = None,
    seeds: SeedsOption = 5,
    dataset: TestedOnOption = None,
    run: RunOption = None,
    section: SectionOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = 1,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare sets, models or methods pair by pair.

    Test images and seeds are paired; sets are trained on first, as `train` does.
    """
    from stillproof.report.runs import called, run_meant

    def ask(opened: Session) -> tuple[Comparisons, str]:
        found = opened.compare(
            names,
            network=network,
            recipe=recipe,
            seeds=seeds,
            dataset=dataset,
            run=run,
            sections=split_list(section),
        )
        return found, "" if found.run is None else f", {called(run_meant(opened.store, found.run))}"

    found, whose = read_first(ask, store, data, plugin, workers, device, makes=True)
    if as_json:
        write_json(found.as_dict())
    else:
        print_text([found.table()], f"compare{whose}")
