"""Where things are printed: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

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
    """Write a result."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def write_json(value: object) -> None:
    """Write a result as JSON."""
    write(json.dumps(value, indent=2, allow_nan=False))


def write_table(header: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> None:
    """Write a table for the terminal; a pipe gets it whole, however narrow it claims to be."""
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text  # exactly as written: what people write may look like rich's markup

    columns = [Column(Text(name)) for name in header]
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 200)
    if title:  # a line of its own: a title inside the table would break at the width of the table
        console.print(Text(title, style="table.title"), soft_wrap=True)
    console.print(table)
