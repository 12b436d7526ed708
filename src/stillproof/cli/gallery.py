"""stillproof gallery: pictures of distilled sets, side by side, at rest or in motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import JsonOption, PluginOption, StoreOption, load_components, split_numbers
from stillproof.cli.output import write, write_json
from stillproof.core.errors import BadInput


def command(
    artifacts: Annotated[list[str] | None, typer.Argument(help="Artifacts: id, prefix, name or folder.")] = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run", help="Show all sets of a run (seed 0): its number, name or hash, or a suite for its newest."
        ),
    ] = None,
    ipc: Annotated[
        str | None, typer.Option("--ipc", help="With --run: show only these images per class: 1,10.")
    ] = None,
    animate: Annotated[
        bool, typer.Option("--animate", help="Show the snapshots that distill --snapshots kept, one after the other.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="File to write. [default: gallery.png, or gallery.gif with --animate]")
    ] = None,
    store: StoreOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a labelled grid of distilled images, in pixels."""
    from stillproof.report.pictures import check_ending, gallery_of
    from stillproof.report.runs import find_run
    from stillproof.report.sets import named_set, sets_of_run
    from stillproof.sets.drawn import drawn_from
    from stillproof.store.read_store import read_store

    if ipc is not None and run is None:
        raise BadInput(f"--ipc {ipc} selects sets of a run: name the run with --run, or leave it out.")
    out = out or Path("gallery.gif" if animate else "gallery.png")
    check_ending(out, animate)
    load_components(plugin)
    with read_store(store) as opened:
        chosen = [named_set(opened, text) for text in artifacts or []]
        if run is not None:
            chosen += sets_of_run(opened, find_run(opened, run), split_numbers(ipc, "--ipc"))
        found = gallery_of(opened, chosen, animate, drawn_from(opened))
    found.save(out)
    if as_json:
        write_json({"path": str(out), "sets": list(found.titles), "frames": list(found.frames)})
    else:
        length = f", {len(found.frames)} frames" if animate else ""
        write(f"{out}: {len(chosen)} sets, {found.pictures[0].width} x {found.pictures[0].height} pixels{length}")
