"""stillproof gallery: pictures of distilled sets, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import JsonOption, StoreOption, split_numbers
from stillproof.cli.output import write, write_json
from stillproof.core.errors import BadInput, StoreError

PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".pdf")


def command(
    artifacts: Annotated[list[str] | None, typer.Argument(help="Artifacts: id, prefix, name or folder.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Instead: all sets of a suite's newest run, seed 0.")] = None,
    ipc: Annotated[str | None, typer.Option("--ipc", help="With --run: only these images per class.")] = None,
    out: Annotated[Path, typer.Option("--out", help="The picture to write.")] = Path("gallery.png"),
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a labelled grid of distilled images, in pixels."""
    from stillproof.report.gallery import side_by_side
    from stillproof.report.sets import named_set, sets_of_run
    from stillproof.store.store import open_store

    if ipc is not None and run is None:
        raise BadInput(f"--ipc {ipc} chooses among the sets of a run: name a suite with --run, or leave it out.")
    if out.suffix.lower() not in PICTURES:
        raise BadInput(f"--out {out} is no picture that can be written: end its name in one of {', '.join(PICTURES)}.")
    with open_store(store, create=False) as opened:
        chosen = [named_set(opened, text) for text in artifacts or []]
        if run is not None:
            chosen += sets_of_run(opened, run, split_numbers(ipc, "--ipc"))
    if not chosen:
        raise BadInput("name at least one artifact, or a suite with --run.")
    picture = side_by_side(chosen)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        picture.save(out)
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error}.") from error
    if as_json:
        write_json({"path": str(out), "sets": [title for title, _ in chosen]})
    else:
        write(f"{out}: {len(chosen)} sets, {picture.width} x {picture.height} pixels")
