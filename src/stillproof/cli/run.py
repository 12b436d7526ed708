"""stillproof run: a whole suite; the same command again goes on where the last one stopped."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stillproof.cli.config import read_toml
from stillproof.cli.dry_run import print_forecast, speed_of
from stillproof.cli.options import (
    AllowTestImagesOption,
    DataOption,
    DeviceOption,
    JsonOption,
    PluginOption,
    SomeWorkersOption,
    StoreOption,
    one_of,
    other_settings,
    split_list,
    split_numbers,
)
from stillproof.cli.output import say
from stillproof.cli.session import session, unmade_store
from stillproof.cli.status import show_causes
from stillproof.cli.table import print_tables
from stillproof.core.amounts import seconds_in
from stillproof.core.errors import BadInput, CellFailed
from stillproof.core.number_text import with_fractions
from stillproof.core.presets import SCALES

if TYPE_CHECKING:
    from stillproof.report.run_report import RunReport
    from stillproof.store.store import Store
    from stillproof.verbs.running import Trust

SHOWN = 10  # causes that the end of a run tells
SHARED = {"distill": "distilled sets", "train": "trained networks"}  # stages that cost most


def command(
    suite: Annotated[str, typer.Argument(help="Suite.")],
    config: Annotated[
        Path | None, typer.Option("--config", help="TOML file; see stillproof show SUITE --config.")
    ] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="Data sets, comma-separated.")] = None,
    methods: Annotated[
        str | None,
        typer.Option("--methods", help="Distillers and existing sets (name, id, folder or file), comma-separated."),
    ] = None,
    ipc: Annotated[str | None, typer.Option("--ipc", help="Images per class, comma-separated.")] = None,
    seeds: Annotated[int | None, typer.Option("--seeds", help="Repetitions.")] = None,
    network: Annotated[str | None, typer.Option("--network", help="Networks, comma-separated.")] = None,
    recipe: Annotated[str | None, typer.Option("--recipe", help="Recipe for training on distilled sets.")] = None,
    selection: Annotated[str | None, typer.Option("--selection", help="last, heldout or oracle.")] = None,
    protocol: Annotated[str | None, typer.Option("--protocol", help="fair or faithful.")] = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="smoke, quick or paper. [default: that of the --config file, else quick]"),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Any other parameter of the suite as key=value; may be repeated.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name the run, for --run of other commands.")] = None,
    note: Annotated[
        str | None, typer.Option("--note", help="Keep a remark with the run, which `status` shows.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            help="Run only cells whose method or label has these words (* is any text), and their dependencies.",
        ),
    ] = None,
    stop: Annotated[bool, typer.Option("-x", help="Stop at the first failure.")] = False,
    cell_limit: Annotated[
        str | None,
        typer.Option(
            "--cell-limit", help="Longest time for one cell, such as 90s or 2h; one over it fails. [default: none]"
        ),
    ] = None,
    trust: Annotated[
        str, typer.Option("--trust", help="all, or own: compute here what was merged from other stores.")
    ] = "all",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate the cost, and compute nothing.")] = False,
    assume: Annotated[
        str | None,
        typer.Option("--assume", help="With --dry-run: also estimate for a machine of this speed, such as 20TFLOPS."),
    ] = None,
    allow_test_images: AllowTestImagesOption = False,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: SomeWorkersOption = None,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a suite and print its tables.

    Finished cells are never computed again: the same command resumes a stopped run.
    """
    trusted: Trust = "own" if one_of("trust", trust, ("all", "own")) == "own" else "all"
    if dry_run and trusted == "own":
        raise BadInput("--trust own opens merged answers again, and --dry-run changes nothing: leave one of them out.")
    speed = speed_of(assume)
    if speed and not dry_run:
        raise BadInput(f"--assume {assume} asks about another machine: it needs --dry-run.")
    limit = None if cell_limit is None else seconds_in(cell_limit, "--cell-limit")
    options: dict[str, Any] = read_toml(config, suite) if config else {}
    given = {
        "dataset": split_list(dataset),
        "methods": split_list(methods),
        "ipc": split_numbers(ipc, "--ipc"),
        "seeds": seeds,
        "network": network,  # of suites with one, or with several
        "recipe": recipe,
        "selection": selection,
        "protocol": protocol,
        "scale": None if scale is None else one_of("scale", scale, SCALES),
    }
    flags = {key: value for key, value in given.items() if value is not None}
    others = other_settings(settings, flags)
    options |= flags | with_fractions(others)
    if dry_run:
        with unmade_store(store) as place, session(place, data, plugin, workers, device) as opened:
            found = opened.forecast(
                suite, options, speed=speed, only_matching=only, allow_test_images=allow_test_images
            )
            print_forecast(found, suite, others, as_json)
        return
    with session(store, data, plugin, workers, device, cell_limit=limit) as opened:
        status = opened.run_suite(
            suite,
            options,
            name=name,
            note=note,
            only_matching=only,
            stop_at_failure=stop,
            allow_test_images=allow_test_images,
            trust=trusted,
        )
        _say_shared(status.shared)
        if status.sharing:
            say(status.sharing.sentence())
        report = _report(opened.store, status.run, None if only is None else status)
        print_tables(report, "json" if as_json else "text")
        failed = [cell for cell, state in status.items() if state == "failed"]
        if failed:
            from stillproof.report.failures import causes_of

            show_causes(causes_of(opened.store.results.get_many(failed).values()), say, SHOWN)
            stopped = ", which stopped the run (-x)" if stop else ""
            told = "`stillproof status --failed` says why."
            raise CellFailed(f"{len(failed)} of {len(status)} cells failed{stopped}; {told}")


def _say_shared(shared: Mapping[str, tuple[int, int]]) -> None:
    """Say how much of what is costly was there before, whoever asked for it first."""
    told = [
        f"{there} of {total} {SHARED[stage]}" for stage, (there, total) in shared.items() if stage in SHARED and there
    ]
    if told:
        say(f"in the store already: {', '.join(told)}")


def _report(store: Store, number: int, cells: Collection[str] | None) -> RunReport:
    """Return the report of a run, narrowed to the rows of some cells if these are given."""
    from stillproof.report.run_report import report_of
    from stillproof.report.runs import run_meant

    run = run_meant(store, number)
    rows = [row for row in run.rows if cells is None or any(cell in cells for cell in row["cells"])]
    return report_of(store, dataclasses.replace(run, rows=rows))
