"""stillproof table: a suite's results from the store, in any form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import (
    DataOption,
    JsonOption,
    PluginOption,
    SectionOption,
    StoreOption,
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
    from stillproof.store.store import Store

FORMATS = ("text", "json", "csv", "md", "latex")


def command(
    suite: Annotated[str, typer.Argument(help="Suite.")],
    form: Annotated[str, typer.Option("--format", help="text, json, csv, md or latex.")] = "text",
    section: SectionOption = None,
    by_class: Annotated[bool, typer.Option("--by-class", help="Accuracies of every class instead.")] = False,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the tables of the newest run of a suite, from whatever has been computed so far."""
    from stillproof.report.runs import newest_run
    from stillproof.store.store import open_store

    one_of("format", form, FORMATS)
    if by_class:  # from stored predictions, which only real labels make sense of
        open_store(store, create=False).close()
        with session(store, data, plugin) as opened:
            report = opened.by_class(newest_run(opened.store, suite), split_list(section))
        _print_report(report, "json" if as_json else form)
        return
    load_components(plugin)
    with open_store(store, create=False) as opened:
        print_tables(opened, suite, "json" if as_json else form, split_list(section))


def print_tables(store: Store, suite: str, form: str, sections: Sequence[str] | None = None) -> None:
    """Print the newest run of ``suite``, whose components are loaded already."""
    from stillproof.report.run_report import report_of
    from stillproof.report.runs import newest_run

    _print_report(report_of(store, newest_run(store, suite), sections), form)


def _print_report(report: RunReport | ClassReport, form: str) -> None:
    from stillproof.report.tables.formats import FORMATS as FILES

    suite, scale = report.run.suite, report.run.config.get("scale")
    if form == "json":
        write_json(report.as_dict())
    elif form == "text":
        print_text(report.tables(), suite if scale is None else f"{suite}, scale {scale}")
    else:
        write("\n".join(FILES[form](table) for table in report.tables()))


def print_text(tables: Sequence[Table], title: str) -> None:
    """Print tables for people, each below its title."""
    from stillproof.report.tables.text import shown

    for table in tables:
        text = shown(table)
        write_table(text.header, text.rows, title=f"{title}: {table.title}")
        write("".join(f"  {note}\n" for note in text.notes) + "\n")
