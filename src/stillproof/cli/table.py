"""stillproof table: a suite's results from the store, in any form."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
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
from stillproof.cli.output import say, write, write_json, write_table
from stillproof.cli.session import read_first
from stillproof.core.errors import BadInput

if TYPE_CHECKING:
    from stillproof.report.by_class import ClassReport
    from stillproof.report.run_report import RunReport
    from stillproof.report.tables.table import Table

FORMATS = ("text", "json", "csv", "md", "latex")
FormatOption = Annotated[str, typer.Option("--format", help="text, json, csv, md or latex.")]
NotesOption = Annotated[
    bool, typer.Option("--notes", help="With --format csv: also titles and notes, as comment lines.")
]


def command(
    suite: SuiteOrRun = None,
    run: RunOption = None,
    form: FormatOption = "text",
    notes: NotesOption = False,
    section: SectionOption = None,
    methods: MethodsOption = None,
    by_class: Annotated[bool, typer.Option("--by-class", help="Show accuracies by class instead.")] = False,
    own: Annotated[
        bool,
        typer.Option("--own", help="Leave out what rests on answers that were merged from other stores."),
    ] = False,
    plus_minus: Annotated[
        bool, typer.Option("--plus-minus", help="LaTeX: symmetric intervals as mean ± half the width.")
    ] = False,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the tables of a run, as far as it is computed.

    Without --run it is the newest run of the suite.
    """
    shown = checked_format(form, as_json, notes=notes, plus_minus=plus_minus)
    if not by_class:
        with reported(suite, run, section, methods, store, plugin, own=own) as report:
            print_tables(report, shown, notes=notes, plus_minus=plus_minus)
        return
    if own:
        raise BadInput("--own is for tables of a run, not for --by-class: leave one of them out.")
    # From stored predictions, which only real labels make sense of.
    sections = split_list(section)
    found = read_first(lambda opened: opened.by_class(suite, run=run, sections=sections), store, data, plugin)
    print_tables(found, shown, notes=notes, plus_minus=plus_minus)


def checked_format(form: str, as_json: bool, *, notes: bool, plus_minus: bool = False) -> str:
    """Return the format of tables, once it is known and goes with the other options."""
    one_of("format", form, FORMATS)
    shown = "json" if as_json else form
    if notes and shown != "csv":
        raise BadInput("--notes adds titles and notes to --format csv; the other formats have them: leave it out.")
    if plus_minus and shown != "latex":
        raise BadInput(f"--plus-minus is for --format latex, not for {shown}: add that, or leave it out.")
    return shown


def print_tables(report: RunReport | ClassReport, form: str, *, notes: bool = False, plus_minus: bool = False) -> None:
    """Print the tables of a run, whose components are loaded already."""
    from stillproof.report.tables.latex import to_latex

    if form == "json":
        write_json(report.as_dict())
    elif form == "text":
        run, scale = report.run, report.run.config.get("scale")
        named = (run.suite, scale and f"scale {scale}", run.name and f"run {run.name!r}")
        print_text(report.tables(), ", ".join(part for part in named if part))
        if run.note:
            write(f"  Note: {run.note}")
    elif form == "latex":
        write("\n".join(to_latex(table, report.run.suite, plus_minus=plus_minus) for table in report.tables()))
    else:
        print_file(report.tables(), form, notes)


def print_text(tables: Sequence[Table], title: str) -> None:
    """Print tables for people, each below its title."""
    from stillproof.report.tables.layout import terminal_width, wrapped
    from stillproof.report.tables.text import shown

    for table in tables:
        text = shown(table)
        write_table(text.header, text.rows, f"{title}: {table.title}", text.numbers)
        write("".join(f"{wrapped(note, terminal_width(), '  ')}\n" for note in text.notes) + "\n")


def print_file(tables: Sequence[Table], form: str, notes: bool) -> None:
    """Print tables for files."""
    from stillproof.report.tables.formats import FORMATS as FILES
    from stillproof.report.tables.formats import to_csv_with_notes

    in_form = to_csv_with_notes if notes else FILES[form]
    write("\n".join(in_form(table) for table in tables))
    if form == "csv" and len(tables) > 1 and not notes:
        names = ", ".join(table.name for table in tables)
        say(f"{len(tables)} tables, an empty line between them: {names}. --section takes one, --notes names each.")


@contextlib.contextmanager
def reported(
    suite: str | None,
    run: str | None,
    section: str | None,
    methods: str | None,
    store: str | None,
    plugins: list[Path] | None,
    *,
    own: bool = False,
) -> Iterator[RunReport]:
    """Yield the report of a run, by default the newest of a suite, from whatever has been computed so far."""
    from stillproof.report.run_report import report_of
    from stillproof.report.runs import chosen_run
    from stillproof.store.read_store import read_store

    load_components(plugins)
    with read_store(store) as opened:
        yield report_of(opened, chosen_run(opened, suite, run), split_list(section), split_list(methods), own=own)
