"""stillproof table: a suite's results from the store, in any form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import JsonOption, SectionOption, StoreOption, one_of, split_list
from stillproof.cli.output import say, write, write_json, write_table

if TYPE_CHECKING:
    from stillproof.report.table import Table
    from stillproof.report.tables import Line
    from stillproof.store.store import Store

FORMATS = ("text", "json", "csv", "md", "latex")


def command(
    suite: Annotated[str, typer.Argument(help="Suite.")],
    form: Annotated[str, typer.Option("--format", help="text, json, csv, md or latex.")] = "text",
    section: SectionOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the tables of the newest run of a suite, from whatever has been computed so far."""
    from stillproof.store.store import open_store

    one_of("format", form, FORMATS)
    with open_store(store, create=False) as opened:
        print_table(opened, suite, "json" if as_json else form, split_list(section))


def print_table(store: Store, suite: str, form: str, sections: Sequence[str] | None = None) -> None:
    """Print the newest run of ``suite``."""
    from stillproof.report.answers import answered_rows
    from stillproof.report.runs import newest_run
    from stillproof.report.suite_tables import chosen_sections, has_sections, section_tables
    from stillproof.report.table_formats import to_json
    from stillproof.report.tables import line_of

    run = newest_run(store, suite)
    chosen = chosen_sections(run, sections)
    answered = answered_rows(store, run)
    lines = [line_of(row) for row in answered]
    title = suite + (f", scale {run.config['scale']}" if "scale" in run.config else "")
    if not has_sections(run):
        if form == "json":
            write_json({"suite": suite, "config": run.config, "rows": [line.as_dict() for line in lines]})
        else:
            _print_lines(lines, form, title)
        return
    tables = section_tables(answered, chosen)
    if form == "json":
        rows = [line.as_dict() for line in lines]
        write_json({"suite": suite, "config": run.config, "rows": rows, "tables": [to_json(t) for t in tables]})
    else:
        _print_tables(tables, form, title)


def _print_lines(lines: Sequence[Line], form: str, title: str) -> None:
    from stillproof.report import formats

    if form == "text":
        write_table(formats.header(lines), formats.text_rows(lines), title=title)
        for note in sorted({note for line in lines for note in line.notes}):
            say(f"missing: {note}")
    else:
        write({"md": formats.to_markdown, "csv": formats.to_csv, "latex": formats.to_latex}[form](lines))


def _print_tables(tables: Sequence[Table], form: str, title: str) -> None:
    from stillproof.report import table_formats
    from stillproof.report.table_text import shown

    if form != "text":
        write("\n".join(table_formats.FORMATS[form](table) for table in tables))
        return
    for table in tables:
        text = shown(table)
        write_table(text.header, text.rows, title=f"{title}: {table.title}")
        write("".join(f"  {note}\n" for note in text.notes) + "\n")
