"""stillproof gallery: pictures of distilled sets, side by side, at rest or in motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import JsonOption, PluginOption, StoreOption, load_components, split_numbers
from stillproof.cli.output import write, write_json
from stillproof.core.errors import BadInput, StoreError

PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".pdf")
MOVING = (".gif", ".webp")


def command(
    artifacts: Annotated[list[str] | None, typer.Argument(help="Artifacts: id, prefix, name or folder.")] = None,
    run: Annotated[
        str | None,
        typer.Option("--run", help="All sets of a run, seed 0: its number, name or hash, or a suite for its newest."),
    ] = None,
    ipc: Annotated[str | None, typer.Option("--ipc", help="With --run: only these images per class: 1,10.")] = None,
    animate: Annotated[
        bool, typer.Option("--animate", help="Show the snapshots that distill --snapshots kept, one after another.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="The picture to write. [default: gallery.png; animated, gallery.gif]")
    ] = None,
    store: StoreOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a labelled grid of distilled images, in pixels."""
    from stillproof.report.animation import Film, frames, save
    from stillproof.report.gallery import side_by_side
    from stillproof.report.runs import find_run
    from stillproof.report.sets import named_set, sets_of_run, snapshots_of, titles_of
    from stillproof.store.store import open_store

    if ipc is not None and run is None:
        raise BadInput(f"--ipc {ipc} chooses among the sets of a run: name one with --run, or leave it out.")
    out = out or Path("gallery.gif" if animate else "gallery.png")
    _check_ending(out, animate)
    load_components(plugin)
    with open_store(store, create=False) as opened:
        chosen = [named_set(opened, text) for text in artifacts or []]
        if run is not None:
            chosen += sets_of_run(opened, find_run(opened, run), split_numbers(ipc, "--ipc"))
        if not chosen:
            raise BadInput("name at least one artifact, or a run with --run.")
        titles = titles_of(chosen)
        shown = list(zip(titles, chosen, strict=True))
        films = [Film(title, snapshots_of(opened, one), one) for title, one in shown] if animate else []
    moving = frames(films) if animate else []
    pictures = [picture for _, picture in moving]
    if not animate:
        pictures = [side_by_side([panel for title, one in shown for panel in one.panels(title)])]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        save(pictures, out)
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error}.") from error
    if as_json:
        write_json({"path": str(out), "sets": titles, "frames": [name for name, _ in moving]})
    else:
        length = f", {len(moving)} frames" if animate else ""
        write(f"{out}: {len(chosen)} sets, {pictures[0].width} x {pictures[0].height} pixels{length}")


def _check_ending(out: Path, animate: bool) -> None:
    known, other = (MOVING, PICTURES) if animate else (PICTURES, MOVING)
    if out.suffix.lower() in known:
        return
    hint = f" (with{'out' if animate else ''} --animate, it can)" if out.suffix.lower() in other else ""
    raise BadInput(f"--out {out} cannot be written as a picture{hint}: end its name in one of {', '.join(known)}.")
