"""stillproof table: a suite's results from the store, in any form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import (
    DataOption,
    JsonOption,
    MethodsOption,
    PluginOption,
    RunOption,
    SectionOption,
    StoreOption,
    SuiteOrRun,
    load_components,
    one_of,
    split_list,
)
from stillproof.cli.output import write, write_json, write_table
from stillproof.cli.session import session

if TYPE_CHECKING:
    from stillproof.report.by_class import ClassReport
    from stillproof.report.run_report import RunReport
    from stillproof.report.tables.table import Table

FORMATS = ("text", "json", "csv", "md", "latex")


def command(
    suite: SuiteOrRun = None,
    run: RunOption = None,
    form: Annotated[str, typer.Option("--format", help="text, json, csv, md or latex.")] = "text",
    section: SectionOption = None,
    methods: MethodsOption = None,
    by_class: Annotated[bool, typer.Option("--by-class", help="Accuracies of every class instead.")] = False,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the tables of a run, by default the newest of a suite, from whatever has been computed so far."""
    one_of("format", form, FORMATS)
    shown = "json" if as_json else form
    if not by_class:
        print_tables(reported(suite, run, section, methods, store, plugin), shown)
        return
    from stillproof.store.store import open_store

    open_store(store, create=False).close()
    with session(store, data, plugin) as opened:  # from stored predictions, which only real labels make sense of
        print_tables(opened.by_class(suite, run=run, sections=split_list(section)), shown)


def print_tables(report: RunReport | ClassReport, form: str) -> None:
    """Print the tables of a run, whose components are loaded already."""
    from stillproof.report.tables.formats import FORMATS as FILES

    if form == "json":
        write_json(report.as_dict())
    elif form == "text":
        run, scale = report.run, report.run.config.get("scale")
        named = (run.suite, scale and f"scale {scale}", run.name and f"run {run.name!r}")
        print_text(report.tables(), ", ".join(part for part in named if part))
        if run.note:
            write(f"  Note: {run.note}")
    else:
        write("\n".join(FILES[form](table) for table in report.tables()))


def print_text(tables: Sequence[Table], title: str) -> None:
    """Print tables for people, each below its title."""
    from stillproof.report.tables.text import shown

    for table in tables:
        text = shown(table)
        write_table(text.header, text.rows, title=f"{title}: {table.title}")
        write("".join(f"  {note}\n" for note in text.notes) + "\n")


def reported(
    suite: str | None,
    run: str | None,
    section: str | None,
    methods: str | None,
    store: str | None,
    plugins: list[Path] | None,
) -> RunReport:
    """Return the report of a run, by default the newest of a suite, from whatever has been computed so far."""
    from stillproof.report.run_report import report_of
    from stillproof.report.runs import chosen_run
    from stillproof.store.store import open_store

    load_components(plugins)
    with open_store(store, create=False) as opened:
        return report_of(opened, chosen_run(opened, suite, run), split_list(section), split_list(methods))
