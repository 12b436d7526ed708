"""stillproof run: a whole suite; the same command again goes on where the last one stopped."""

from __future__ import annotations

import dataclasses
from collections import Counter
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
from stillproof.cli.output import say, write, write_json
from stillproof.cli.session import session, unmade_store
from stillproof.cli.status import show_causes
from stillproof.cli.table import print_tables
from stillproof.core.amounts import seconds_in
from stillproof.core.errors import BadInput, CellFailed
from stillproof.core.number_text import with_fractions
from stillproof.core.presets import SCALES

if TYPE_CHECKING:
    from stillproof.answers import RunStates
    from stillproof.report.run_report import RunReport
    from stillproof.store.store import Store
    from stillproof.verbs.running import RunWords, Trust

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
    executor: Annotated[
        str | None,
        typer.Option(
            "--executor", help="What computes: here, pool:workers=4, slurm:jobs=40:hours=4 (stillproof list executors)."
        ),
    ] = None,
    plan_only: Annotated[
        bool, typer.Option("--plan-only", help="Plan the run and return: `stillproof work` computes it.")
    ] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            help="Compute one of several parts on a store of its own: 3/40, or shared/40, which several of them need.",
        ),
    ] = None,
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
    if shard is not None:
        _refuse_beside_shard({"--plan-only": plan_only, "--dry-run": dry_run, "--name": name is not None}, shard)
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
    asked: RunWords = {
        "name": name,
        "note": note,
        "only_matching": only,
        "stop_at_failure": stop,
        "allow_test_images": allow_test_images,
        "trust": trusted,
    }
    if executor and plan_only:
        raise BadInput(f"--plan-only computes nothing, and --executor {executor} says what computes: leave one out.")
    if executor and workers:
        raise BadInput(f"--executor {executor} and --workers {workers} both say what computes: leave one of them out.")
    with session(store, data, plugin, workers, device, cell_limit=limit, executor=executor) as opened:
        submits = opened.executor is not None and opened.executor.submits
        if shard is not None:
            _refuse_beside_shard({f"--executor {executor}": submits}, shard)
        if plan_only or submits:
            _tell_plan(opened.enter_run(suite, options, **asked), name, as_json)
            return
        status = opened.run_suite(suite, options, **asked, shard=shard)
        _say_shared(status.shared)
        if status.sharing:
            say(status.sharing.sentence())
        if shard is None:
            report = _report(opened.store, status.run, None if only is None else status)
            print_tables(report, "json" if as_json else "text")
        else:
            _tell_shard(status, shard, opened.store.shown, as_json)
        failed = [cell for cell, state in status.items() if state == "failed"]
        if failed:
            from stillproof.report.failures import causes_of

            show_causes(causes_of(opened.store.results.get_many(failed).values()), say, SHOWN)
            stopped = ", which stopped the run (-x)" if stop else ""
            told = "`stillproof status --failed` says why."
            raise CellFailed(f"{len(failed)} of {len(status)} cells failed{stopped}; {told}")


def _tell_plan(status: RunStates, name: str | None, as_json: bool) -> None:
    """Say what was planned, and what computes it."""
    states = Counter(status.values())
    known = name or str(status.run)
    if as_json:
        write_json(_states(status) | {"name": name})
    else:
        done = states["done"] + states["unsupported"]
        say(f"run {known} is planned: {len(status)} cells, {done} of them done before.")
        say(f"`stillproof work --run {known}` computes it, in as many processes and on as many machines as you like;")
        say(f"`stillproof status` shows who works, `stillproof table --run {known}` what has come of it.")


def _tell_shard(status: RunStates, shard: str, store: str, as_json: bool) -> None:
    """Say what was computed of a shard, and how it comes to the others."""
    if as_json:
        write_json(_states(status) | {"shard": shard})
        return
    states = ", ".join(f"{count} {state}" for state, count in Counter(status.values()).items())
    write(f"shard {shard} in {store}: {states or 'nothing'}")
    say(f"`stillproof db merge {store}` brings it into another store; with all shards in one, the same command there,")
    say("without --shard, computes what is left and prints the tables")


def _states(status: RunStates) -> dict[str, Any]:
    return {"run": status.run, "cells": len(status), "states": dict(Counter(status.values()))}


def _refuse_beside_shard(given: Mapping[str, bool], shard: str) -> None:
    """Refuse a shard that is none, and what is not for a shard."""
    from stillproof.run.shards import shard_of

    shard_of(shard)
    why = {
        "--plan-only": "plans for workers of one store",
        "--dry-run": "estimates the whole run",
        "--name": "names the whole run, after `stillproof db merge`",
    }
    for option, is_given in given.items():
        if is_given:
            said = why.get(option, "starts workers of one store")
            raise BadInput(
                f"{option} {said}, and --shard {shard} computes a part here, on a store of its own: leave one of them "
                "out."
            )


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
