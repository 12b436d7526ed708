"""stillproof db merge: two machines' work becomes one."""

from __future__ import annotations

from collections.abc import Collection, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import JsonOption, StoreOption
from stillproof.cli.output import say, write, write_json
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
    as_json: JsonOption = False,
) -> None:
    """Copy another store's work into this one; again, what is new.

    Its cells, artifacts and runs are copied; what is here stays.
    """
    from stillproof.store.merge import merge
    from stillproof.store.other_store import open_other
    from stillproof.store.store import open_store

    with open_other(other, artifacts) as theirs, open_store(store) as ours:
        found = merge(ours, theirs)
    for sentence in _notes(found):
        say(f"note: {sentence}")
    if as_json:
        write_json(found.as_dict() | {"other": theirs.shown, "store": ours.shown})
    else:
        write(_summary(found, theirs.shown, ours.shown))
    if found.lost:
        root = theirs.artifacts.root
        where = f"some files in {root} are lost or damaged" if root.is_dir() else f"the folder {root} is not there"
        missing = f"{_count(found.lost, 'artifact')} and {_count(found.without, 'answer')}"
        raise StoreError(
            f"{missing} of {theirs.shown} did not come, since {where}: put it right, or name another folder with "
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
    if found.unnamed:
        count = _count(found.unnamed, "artifact")
        notes.append(f"{count} came without a name, since ours have it: {_few(found.unnamed)}.")
    if found.differing:
        notes.append(f"ours has other results called {_few(found.differing)}, which stay.")
    if found.busy:
        busy = _few(found.busy.values())
        notes.append(f"what is being computed here did not come ({len(found.busy)}): {busy}.")
    if found.lost:
        notes.append(f"{_count(found.lost, 'artifact')} cannot be read there; {next(iter(found.lost.values()))}")
    if found.without:
        notes.append(
            "the next run computes what did not come, since what it stands on is lost there or differs here "
            f"({len(found.without)}): {_few(found.without.values())}."
        )
    return notes


def _few(names: Collection[str]) -> str:
    """Name some."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return "; ".join(list(names)[:NAMED]) + more


def _count(things: Sized, noun: str) -> str:
    return f"{len(things)} {noun}{'s' * (len(things) != 1)}"
