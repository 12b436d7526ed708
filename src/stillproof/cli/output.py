"""Where things are printed: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.report.tables.layout import laid_out, terminal_width, wrapped

if TYPE_CHECKING:
    from rich.console import Console


def messages() -> Console:
    """Return the console for people: progress, logs and messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(text: str) -> None:
    """Say something beside the result, exactly as written and on one line, however narrow a pipe claims to be."""
    messages().print(text, soft_wrap=True)


def write(text: str) -> None:
    """Write a result; if the reader of a pipe has gone, as ``head`` does, nobody misses the rest."""
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_json(value: object) -> None:
    """Write a result as JSON."""
    write(json.dumps(value, indent=2, allow_nan=False))


def write_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str | None = None,
    numbers: Sequence[bool] | None = None,
) -> None:
    """Write a table that fits the terminal; a pipe gets it whole. ``numbers`` says which columns are flush right."""
    width = terminal_width()
    lines = [wrapped(title, width)] if title else []
    write("\n".join((*lines, "", laid_out(header, rows, numbers or [False] * len(header), width))) + "\n")
