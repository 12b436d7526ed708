"""stillproof table: a suite's results from the store, in any form."""

from __future__ import annotations

from collections.abc import Sequence
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
from stillproof.cli.output import write, write_json, write_table
from stillproof.cli.reported import reported

if TYPE_CHECKING:
    from stillproof.report.run_report import RunReport
    from stillproof.report.tables.table import Table

FORMATS = ("text", "json", "csv", "md", "latex")


def command(
    suite: SuiteOrRun = None,
    run: RunOption = None,
    form: Annotated[str, typer.Option("--format", help="text, json, csv, md or latex.")] = "text",
    section: SectionOption = None,
    methods: MethodsOption = None,
    store: StoreOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the tables of a run, by default the newest of a suite, from whatever has been computed so far."""
    one_of("format", form, FORMATS)
    print_tables(reported(suite, run, section, methods, store, plugin), "json" if as_json else form)


def print_tables(report: RunReport, form: str) -> None:
    """Print the tables of a run, whose components are loaded already."""
    from stillproof.report.tables.formats import FORMATS as FILES

    if form == "json":
        write_json(report.as_dict())
    elif form == "text":
        run, scale = report.run, report.run.config.get("scale")
        named = (run.suite, scale and f"scale {scale}", run.name and f"run {run.name!r}")
        _print_text(report.tables(), ", ".join(part for part in named if part))
        if run.note:
            write(f"  Note: {run.note}")
    else:
        write("\n".join(FILES[form](table) for table in report.tables()))


def _print_text(tables: Sequence[Table], title: str) -> None:
    from stillproof.report.tables.text import shown

    for table in tables:
        text = shown(table)
        write_table(text.header, text.rows, title=f"{title}: {table.title}")
        write("".join(f"  {note}\n" for note in text.notes) + "\n")
