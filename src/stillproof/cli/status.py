"""stillproof status: what the store holds, what runs, and what failed and why."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import JsonOption, StoreOption
from stillproof.cli.output import say, write, write_json, write_table
from stillproof.core.amounts import duration

if TYPE_CHECKING:
    from stillproof.report.failures import Cause
    from stillproof.report.run_list import ListedRun
    from stillproof.store.bundle import Bundle
    from stillproof.store.leftovers import Leftovers
    from stillproof.store.workers import AtWork

MOST = 20  # runs, and single calls


def command(
    only_failed: Annotated[
        bool, typer.Option("--failed", help="Show only failures: every cause, with its places in the code.")
    ] = False,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="CELL", help="Free a cell from the process that holds it, by its id."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the runs of a store: what is done, and what failed."""
    from stillproof.report.store_status import status_of
    from stillproof.store.read_store import read_store

    if release is not None:
        _release(release, store, as_json)
        return
    with read_store(store) as opened:
        found = status_of(opened)
    if as_json:
        write_json(found.as_dict())
        return
    if only_failed:
        show_causes(found.causes, write)
        if not found.causes:
            say("nothing failed.")
        return
    write(f"store {found.store}")
    write_table(
        ("stage", "state", "cells"),
        [(stage, state, str(n)) for (stage, states) in found.cells.items() for state, n in states.items()],
        numbers=(False, False, True),
    )
    for silent in found.silent:
        write(silent.sentence())
    _print_workers(found.workers)
    for run, why in found.troubled.items():
        write(f"run {run} cannot be planned further: {why}; its `stillproof run` command says more.")
    _print_runs(found.runs)
    _print_calls(found.calls)
    _print_imported(found.bundles)
    if found.causes:
        reasons = [(str(cause.cells), cause.label, cause.sentence, cause.place) for cause in found.causes]
        title = "failed; the same command tries again, --failed tells more"
        write_table(("cells", "what failed", "why", "where"), reasons, title=title)
    _print_leftovers(found.leftovers)


def _release(text: str, store: str | None, as_json: bool) -> None:
    from stillproof.store.release import release
    from stillproof.store.store import open_store

    with open_store(store, create=False) as opened:
        found = release(opened, text)
    if as_json:
        write_json(found.as_dict())
    else:
        write(found.sentence())


def _print_workers(workers: Sequence[AtWork]) -> None:
    if workers:
        header = ("machine", "process", "job", "there for", "computes", "done")
        rows = [
            (
                one.node,
                one.process,
                one.job or "",
                duration(one.seconds),
                one.label or "nothing, it waits",
                f"{one.progress:.0%}" if one.cell else "",
            )
            for one in workers
        ]
        said = [n for n in range(len(header)) if any(row[n] for row in rows)]  # most were started by a person
        write_table([header[n] for n in said], [[row[n] for n in said] for row in rows], title="workers")


def _print_runs(runs: Sequence[ListedRun]) -> None:
    if not runs:
        return
    header = ("run", "name", "suite", "data set", "methods", "scale", "when (UTC)", "done", "note")
    rows = [
        (
            str(one.run.id),
            one.run.name or "",
            one.run.suite,
            ", ".join(one.datasets),
            ", ".join(one.methods),
            str(one.run.config.get("scale", "")),
            _when(one.run.asked),
            one.progress(),
            one.run.note or "",
        )
        for one in runs[:MOST]
    ]
    said = [n for n in range(len(header)) if any(row[n] for row in rows)]  # most runs have neither name nor note
    shown = [[row[n] for n in said] for row in rows]
    write_table(
        [header[n] for n in said], shown, title=f"runs, newest first{_of(runs)}; `stillproof table --run RUN` shows one"
    )


def _print_calls(calls: Sequence[ListedRun]) -> None:
    from stillproof.report.tables.text import text_of

    if not calls:
        return
    header = ("call", "verb", "of", "data set", "trained", "accuracy %", "when (UTC)", "done")
    rows = []
    for one in calls[:MOST]:
        (row,) = one.run.rows
        how = [str(row[key]) for key in ("network", "recipe", "selection") if row.get(key)]
        set_of = [str(row["method"]), *(f"{key} {row[key]}" for key in ("ipc", "seed") if key in row)]
        accuracy = text_of(one.accuracy) if one.accuracy else ""
        about = (str(one.run.id), one.run.verb, ", ".join(set_of), row["dataset"], ", ".join(how))
        rows.append((*about, accuracy, _when(one.run.asked), one.progress()))
    write_table(header, rows, title=f"single calls, newest first{_of(calls)}")


def _print_imported(bundles: Sequence[Bundle]) -> None:
    if bundles:
        rows = [
            (one.name, one.suite, one.date, f"{one.done} of {len(one.answers)}", duration(one.seconds))
            for one in bundles
        ]
        title = "imported results, which no run uses; `stillproof verify NAME` computes some again"
        write_table(("name", "suite", "date", "answers", "time there"), rows, title=title)


def _print_leftovers(left: Leftovers) -> None:
    if left.cells:
        counts = Counter((cell.stage, cell.state) for cell in left.cells)
        rows = [(stage, state, str(count)) for (stage, state), count in sorted(counts.items())]
        todo = "the command that asked for them resumes them, `stillproof db prune` removes them"
        write_table(("stage", "state", "cells"), rows, title=f"unfinished, and no run needs them; {todo}")
    if left.checkpoints:
        folder = left.checkpoints[0].parent
        write(f"{len(left.checkpoints)} checkpoints in {folder} belong to no cell: `stillproof db prune` removes them.")


def _of(found: Sequence[ListedRun]) -> str:
    return f" ({MOST} of {len(found)}; --json lists all)" if len(found) > MOST else ""


def _when(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M")


def show_causes(causes: Sequence[Cause], tell: Callable[[str], None], most: int | None = None) -> None:
    """Tell every cause, or of many the first ``most``."""
    for cause in causes[:most]:
        tell(cause.line())
        for place in cause.trace() if len(cause.frames) > 1 else [f.code for f in cause.frames if f.code]:
            tell(f"    {place}")
    rest = causes[len(causes[:most]) :]
    if rest:
        tell(f"and {sum(cause.cells for cause in rest)} cells for {len(rest)} more reasons")
