"""The ``stillproof`` command: verbs, exit codes, and errors as one sentence."""

from __future__ import annotations

import logging
import sys
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
    zoo,
)
from stillproof.cli import list as list_verb
from stillproof.cli.attack_options import OptionalPolicy
from stillproof.cli.command_group import Verbs
from stillproof.cli.output import write
from stillproof.core.errors import StillproofError
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
    """Run the command line."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    logging.getLogger("stillproof").setLevel(logging.INFO)
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # what typer makes of Ctrl-C inside a verb
            _interrupted()
    except StillproofError as error:
        _say(str(error))
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = _interrupted()
    except TyperException as error:
        _say(_sentence(error))
        code = error.exit_code
    sys.exit(code or 0)


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
    sys.stderr.write(f"stillproof: {text}\n")
