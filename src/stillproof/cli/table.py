"""stillproof table: a suite's results from the store, in any form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import JsonOption, StoreOption, one_of
from stillproof.cli.output import say, write, write_json, write_table

if TYPE_CHECKING:
    from stillproof.store.store import Store

FORMATS = ("text", "json", "csv", "md", "latex")


def command(
    suite: Annotated[str, typer.Argument(help="Suite.")],
    form: Annotated[str, typer.Option("--format", help="text, json, csv, md or latex.")] = "text",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the table of the newest run of a suite, from whatever has been computed so far."""
    from stillproof.store.store import open_store

    one_of("format", form, FORMATS)
    with open_store(store, create=False) as opened:
        print_table(opened, suite, "json" if as_json else form)


def print_table(store: Store, suite: str, form: str) -> None:
    """Print the newest run of ``suite``."""
    from stillproof.report import formats
    from stillproof.report.runs import newest_run
    from stillproof.report.tables import accuracy_lines

    run = newest_run(store, suite)
    lines = accuracy_lines(store, run)
    if form == "json":
        write_json({"suite": suite, "config": run.config, "rows": [line.as_dict() for line in lines]})
    elif form == "text":
        scale = f", scale {run.config['scale']}" if "scale" in run.config else ""
        write_table(formats.header(lines), formats.text_rows(lines), title=suite + scale)
        for note in sorted({note for line in lines for note in line.notes}):
            say(f"missing: {note}")
    else:
        write({"md": formats.to_markdown, "csv": formats.to_csv, "latex": formats.to_latex}[form](lines))
