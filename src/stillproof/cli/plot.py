"""stillproof plot: a suite's figures from the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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

FORMATS = ("png", "pdf", "svg")


def command(
    suite: SuiteOrRun = None,
    run: RunOption = None,
    section: SectionOption = None,
    methods: MethodsOption = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the figures.")] = Path("figures"),
    form: Annotated[str, typer.Option("--format", help="png, pdf or svg.")] = "png",
    store: StoreOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the figures of a run, by default the newest of a suite, of whatever has been computed so far."""
    one_of("format", form, FORMATS)
    from stillproof.report.drawing.save import save_figures

    report = reported(suite, run, section, methods, store, plugin)
    paths = save_figures(report.figures(), out, form)
    if as_json:
        write_json({"suite": report.run.suite, "figures": [str(path) for path in paths]})
    elif paths:
        write("".join(f"{path}\n" for path in paths))
    if not paths:
        say("there is nothing to draw: no answer is there yet, or these sections have no figure.")
