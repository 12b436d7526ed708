"""stillproof plot: a suite's figures from the store."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import (
    JsonOption,
    MethodsOption,
    PluginOption,
    RunOption,
    SectionOption,
    StoreOption,
    SuiteOrRun,
    one_of,
)
from stillproof.cli.output import say, write, write_json
from stillproof.cli.table import reported

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stillproof.report.figures.values import FigureData

FORMATS = ("png", "pdf", "svg")


def command(
    suite: SuiteOrRun = None,
    run: RunOption = None,
    section: SectionOption = None,
    methods: MethodsOption = None,
    out: Annotated[Path, typer.Option("--out", help="Folder to write the figures to.")] = Path("figures"),
    form: Annotated[str, typer.Option("--format", help="png, pdf or svg.")] = "png",
    style: Annotated[
        str,
        typer.Option("--style", help="screen, or paper: as wide as a column, 8 pt, without title and caption."),
    ] = "screen",
    store: StoreOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the figures of a run, as far as it is computed, and say what is seen in each of them.

    Without --run it is the newest run of the suite.
    """
    one_of("format", form, FORMATS)
    from stillproof.report.drawing.save import save_figures
    from stillproof.report.figures.pages import PAGES

    page = PAGES[one_of("style", style, tuple(PAGES))]
    with reported(suite, run, section, methods, store, plugin) as report:
        figures = report.figures()
        paths = save_figures(figures, out, form, page)
    captions = {str(path): _caption(figure) for path, figure in zip(paths, figures.values(), strict=True)}
    if as_json:
        write_json({"suite": report.run.suite, "figures": list(captions), "captions": captions})
    elif paths:
        width = min(shutil.get_terminal_size().columns, 100)
        for path, caption in captions.items():
            write(path)
            if caption:
                write(textwrap.fill(caption, width, initial_indent="  ", subsequent_indent="  "))
    if not paths:
        say("there is nothing to draw: nothing has been computed yet, or these sections have no figure.")


def _caption(figure: FigureData | Figure) -> str | None:
    """Return what is seen in a figure; one of matplotlib's, as a plug-in may make, has said it itself."""
    from matplotlib.figure import Figure

    from stillproof.report.figures.captions import full_caption

    return None if isinstance(figure, Figure) else full_caption(figure)
