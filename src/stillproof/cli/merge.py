"""stillproof db merge: two machines' work becomes one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import DataOption, JsonOption, StoreOption
from stillproof.cli.output import say, write, write_json
from stillproof.cli.session import session
from stillproof.core.errors import StoreError

if TYPE_CHECKING:
    from stillproof.store.merge import Merged

NAMED = 5  # cells or artifacts named in a sentence; --json names all


def command(
    other: Annotated[str, typer.Argument(help="Store to merge from: a SQLite file or a URL. It is only read.")],
    artifacts: Annotated[
        Path | None, typer.Option("--artifacts", help="Folder of its artifacts. [default: the one beside its file]")
    ] = None,
    store: StoreOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy another store's work into this one; again, what is new.

    Its cells, artifacts and runs are copied once their numbers have been counted again; what is here stays.
    """
    with session(store, data, None) as opened:
        merged = opened.merge(other, artifacts)
    found = merged.found
    for sentence in (*_notes(found), *_uncounted(merged.uncounted)):
        say(f"note: {sentence}")
    if as_json:
        write_json(merged.as_dict())
    else:
        write(_summary(found, merged.other, merged.store))
    if found.refused or found.refused_runs:
        cells, runs = _count(found.refused, "cell"), _count(found.refused_runs, "run")
        raise StoreError(
            f"{cells} and {runs} of {merged.other} cannot be right and did not come (--json names all), all else did: "
            "ask whoever made that store."
        )
    if found.lost:
        root = merged.artifacts
        where = f"some files in {root} are lost or damaged" if root.is_dir() else f"the folder {root} is not there"
        missing = f"{_count(found.lost, 'artifact')} and {_count(found.without, 'answer')}"
        raise StoreError(
            f"{missing} of {merged.other} did not come, since {where}: put it right, or name another folder with "
            "--artifacts, and merge again."
        )


def _summary(found: Merged, other: str, store: str) -> str:
    from stillproof.report.tables.table import Bytes
    from stillproof.report.tables.text import text_of

    came = f"{_count(found.answers, 'answer')}, {found.runs} run{'s' * (found.runs != 1)} and "
    came += _count(found.artifacts, "artifact")
    known = f"{found.known} answer{'s were' if found.known != 1 else ' was'} there already"
    return f"{other} is merged into {store}: {came} came ({text_of(Bytes(found.bytes))}); {known}"


def _notes(found: Merged) -> list[str]:
    """Say what did not come, or not as it was."""
    notes = [f"the run {there!r} is called {here!r} here: ours has that name." for there, here in found.renamed.items()]
    if found.conflicts:
        notes.append(
            f"where answers differ, as they may between processors, ours stay ({len(found.conflicts)}): "
            f"{_few(found.conflicts.values())}."
        )
    if found.refused:
        notes.append(f"what cannot be right did not come ({len(found.refused)}): {_few(found.refused.values())}.")
    if found.refused_runs:
        count = _count(found.refused_runs, "run")
        notes.append(f"{count} that cannot be right did not come: {_few(found.refused_runs)}.")
    if found.unnamed:
        count = _count(found.unnamed, "artifact")
        notes.append(f"{count} came without a name, since ours have it: {_few(found.unnamed)}.")
    if found.misnamed:
        count = _count(found.misnamed, "artifact")
        notes.append(f"{count} came without a name, since theirs cannot be that of a folder: {_few(found.misnamed)}.")
    if found.differing:
        notes.append(f"ours has other results called {_few(found.differing)}, which stay.")
    if found.busy:
        busy = _few(found.busy.values())
        notes.append(f"what is being computed here did not come ({len(found.busy)}): {busy}.")
    if found.lost:
        notes.append(f"{_count(found.lost, 'artifact')} cannot be read there; {next(iter(found.lost.values()))}")
    if found.without:
        notes.append(
            "the next run computes what did not come, since what it stands on is lost or refused there, or differs "
            f"here ({len(found.without)}): {_few(found.without.values())}."
        )
    return notes


def _uncounted(uncounted: Mapping[str, int]) -> list[str]:
    """Say which answers came as they were."""
    total = sum(uncounted.values())
    missing = (f"{count} for want of {what}" for what, count in uncounted.items())
    return (
        [f"taken as they are, since they cannot be counted again here ({total}): {_few(list(missing))}."]
        if total
        else []
    )


def _few(names: Collection[str]) -> str:
    """Name some."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return "; ".join(list(names)[:NAMED]) + more


def _count(things: Sized, noun: str) -> str:
    return f"{len(things)} {noun}{'s' * (len(things) != 1)}"
