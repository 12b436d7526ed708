"""stillproof card: every side of one distilled set or method, from all runs of the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillproof.cli.options import DataOption, JsonOption, PluginOption, StoreOption
from stillproof.cli.output import say, write, write_json
from stillproof.cli.session import read_first
from stillproof.cli.table import FormatOption, checked_format, print_file, print_text


def command(
    name: Annotated[str, typer.Argument(help="Method, or set: artifact (id, name or folder) or third-party file.")],
    dataset: Annotated[str | None, typer.Option("--dataset", help="Only this data set.")] = None,
    ipc: Annotated[int | None, typer.Option("--ipc", help="Only this number of images per class.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Only numbers of this run. [default: all runs]")] = None,
    form: FormatOption = "text",
    out: Annotated[Path | None, typer.Option("--out", help="Also draw ranks and curves into this folder.")] = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the report card of a distilled set or method: every side, with its interval and rank.

    Numbers come from all runs of the store and from imported results; nothing is computed.
    """
    from stillproof.report.tables.latex import to_latex

    shown = checked_format(form, as_json, notes=False)
    cards = read_first(lambda opened: opened.card(name, dataset=dataset, ipc=ipc, run=run), store, data, plugin)
    if shown == "json":
        write_json(cards.as_dict())
    elif shown == "latex":
        write("\n".join(to_latex(table) for table in cards.tables()))
    elif shown == "text":
        print_text(cards.tables(), "report card")
    else:
        print_file(cards.tables(), shown, notes=False)
    if out is not None:
        from stillproof.report.drawing.draw import draw
        from stillproof.report.drawing.save import save_figures
        from stillproof.report.figures.pages import SCREEN

        figures = {name: draw(figure) for name, figure in cards.figures().items()}
        for path in save_figures(figures, out, "png", SCREEN):
            say(f"{path}")
