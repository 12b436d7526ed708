from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from stillproof.cli.main import app

PAGE = (Path(__file__).parents[1] / "docs" / "commands.md").read_text(encoding="utf-8")


def verbs(group: Any, name: str = "") -> Iterator[tuple[str, set[str]]]:
    """Every verb of the command line with its options."""
    for part, verb in group.commands.items():
        if hasattr(verb, "commands"):
            yield from verbs(verb, f"{name}{part} ")
        else:
            yield name + part, {option for param in verb.params for option in param.opts if option.startswith("-")}


VERBS = dict(verbs(typer.main.get_command(app)))


ROWS = re.findall(r"^\| `stillproof (.*)$", PAGE, re.MULTILINE)


def options_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", re.sub(r"\]\([^)]*\)", "", text)))


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_has_every_verb_with_all_of_its_options(verb: str) -> None:
    rows = [row for row in ROWS if re.match(rf"{verb}[` ]", row)]
    assert rows, f"{verb} is missing"
    shared = PAGE.partition("## Options that many verbs have")[2].partition("\n## ")[0]
    assert VERBS[verb] - options_in(" ".join(rows)) - options_in(shared) == set()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.partition("`")[0])
def test_the_page_has_no_other_verb_or_option(row: str) -> None:
    (verb,) = [verb for verb in VERBS if re.match(rf"{verb}[` ]", row)]
    assert options_in(row.removeprefix(verb)) - VERBS[verb] == set()


def test_the_page_has_every_exit_code() -> None:
    from stillproof.cli.main import INTERRUPTED
    from stillproof.core import errors

    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    raised = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "exit_code")}
    assert listed == {0, INTERRUPTED} | raised
