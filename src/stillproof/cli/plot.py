"""stillproof plot: a suite's figures from the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import (
    JsonOption,
    PluginOption,
    SectionOption,
    StoreOption,
    load_components,
    one_of,
    split_list,
)
from stillproof.cli.output import say, write, write_json

FORMATS = ("png", "pdf", "svg")


def command(
    suite: Annotated[str, typer.Argument(help="Suite.")],
    section: SectionOption = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the figures.")] = Path("figures"),
    form: Annotated[str, typer.Option("--format", help="png, pdf or svg.")] = "png",
    store: StoreOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the figures of the newest run of a suite, of whatever has been computed so far."""
    one_of("format", form, FORMATS)
    from stillproof.report.figures.save import save_figure
    from stillproof.report.run_report import report_of
    from stillproof.report.runs import newest_run
    from stillproof.store.store import open_store

    load_components(plugin)
    with open_store(store, create=False) as opened:
        figures = report_of(opened, newest_run(opened, suite), split_list(section)).figures()
    paths = {out / f"{name}.{form}": figure for name, figure in figures.items()}
    for path, figure in paths.items():
        save_figure(figure, path)
    if as_json:
        write_json({"suite": suite, "figures": [str(path) for path in paths]})
    elif paths:
        write("".join(f"{path}\n" for path in paths))
    if not paths:
        say("there is nothing to draw: no answer is there yet, or these sections have no figure.")
