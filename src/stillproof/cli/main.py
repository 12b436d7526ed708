"""The ``stillproof`` command: verbs, exit codes, and errors as one sentence."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer
from typer.exceptions import TyperException

from stillproof.cli import (
    attack,
    attack_bench,
    attack_set,
    audit,
    card,
    check,
    cite,
    compare,
    data,
    db,
    distill,
    doctor,
    gallery,
    import_,
    plot,
    pool,
    run,
    show,
    site,
    status,
    table,
    train,
    verify,
    why,
    work,
    zoo,
)
from stillproof.cli import list as list_verb
from stillproof.cli.attack_options import OptionalPolicy
from stillproof.cli.command_group import Verbs
from stillproof.cli.output import drop, escape_what_cannot_be_encoded, write
from stillproof.cli.stopping import stops_as_asked
from stillproof.cli.unforeseen import ended_by_parser, told
from stillproof.core.printable import log_to_stderr, printable
from stillproof.core.validate import wanted

INTERRUPTED = 130

app = typer.Typer(
    name="stillproof",
    help="Distil image data sets, and measure honestly what the distilled sets are worth.",
    no_args_is_help=True,
    cls=Verbs,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        write(f"stillproof {version('stillproof')}")
        raise typer.Exit


@app.callback()
def options(
    asked: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take the options that stand before a verb."""


app.command("list")(list_verb.command)
app.command("show")(show.command)
app.add_typer(data.app, name="data")
app.command("distill")(distill.command)
app.command("import")(import_.command)
app.add_typer(zoo.app, name="zoo")
app.command("train")(train.command)
app.command("attack", cls=OptionalPolicy)(attack.command)
app.command("attack-bench")(attack_bench.command)
app.add_typer(attack_set.app, name="attack-set")
app.command("audit")(audit.command)
app.command("run")(run.command)
app.command("work")(work.command)
app.command("status")(status.command)
app.command("table")(table.command)
app.command("compare")(compare.command)
app.command("verify")(verify.command)
app.command("plot")(plot.command)
app.command("site")(site.command)
app.add_typer(pool.app, name="pool")
app.command("card")(card.command)
app.command("gallery")(gallery.command)
app.command("cite")(cite.command)
app.command("why")(why.command)
app.command("check")(check.command)
app.command("doctor")(doctor.command)
app.add_typer(db.app, name="db")


def main() -> None:
    """Run the command line: whatever happens ends in a sentence and an exit code."""
    escape_what_cannot_be_encoded()
    log_to_stderr()
    logging.getLogger("stillproof").setLevel(logging.INFO)
    with stops_as_asked() as stopped:
        sys.exit(_guarded(stopped))


def _guarded(stopped: Callable[[], bool]) -> int:
    """Run what was asked; return the exit code."""
    try:
        code = app(standalone_mode=False)
        return _interrupted() if code == INTERRUPTED else code or 0  # what typer makes of Ctrl-C inside a verb
    except TyperException as error:
        _say(printable(_sentence(error)))
        return error.exit_code
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        if isinstance(error.__context__, BrokenPipeError):  # what typer makes of a reader of help that has gone
            drop(sys.__stdout__ or sys.stdout)
            return 0
        if isinstance(error, SystemExit) and ended_by_parser(error):
            return int(error.code or 0)
        if stopped() or isinstance(error, KeyboardInterrupt | typer.Abort):  # libraries make other errors of a stop
            return _interrupted()
        sentence, code = told(error)
        _say(sentence)
        return code


def _interrupted() -> int:
    _say("stopped; finished work is kept, and the same command resumes from here.")
    return INTERRUPTED


def _sentence(error: TyperException) -> str:
    """Return what the parser of the command line says, in our own words where pydantic speaks through it."""
    said = error.format_message()
    if error.__cause__ is not None:
        from pydantic import ValidationError

        if isinstance(error.__cause__, ValidationError):
            first = error.__cause__.errors()[0]
            return f"{said.replace(first['msg'], wanted(first))}."
    return said


def _say(text: str) -> None:
    try:
        sys.stderr.write(f"stillproof: {text}\n")
        sys.stderr.flush()
    except OSError:  # nobody is left to be told
        drop(sys.stderr)
