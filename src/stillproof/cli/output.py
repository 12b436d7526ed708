"""Where things are printed: results on standard output, everything else on standard error."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from stillproof.core.errors import StoreError
from stillproof.core.plain_reason import plain_reason
from stillproof.core.printable import printable
from stillproof.core.result_stream import result_stream
from stillproof.report.tables.layout import laid_out, terminal_width, wrapped

if TYPE_CHECKING:
    from rich.console import Console


def messages() -> Console:
    """Return the console for people: progress, logs and messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(text: str) -> None:
    """Say something beside the result, exactly as written and on one line, however narrow a pipe claims to be."""
    try:
        messages().print(printable(text), soft_wrap=True)
    except OSError:  # nobody is left to be told; the result is what counts
        drop(sys.stderr)


def write(text: str) -> None:
    """Write a result; if the reader of a pipe has gone, as ``head`` does, nobody misses the rest.

    Raises:
        StoreError: It cannot be written, as on a full disk.
    """
    stream = result_stream()
    try:
        stream.write(printable(text if text.endswith("\n") else text + "\n"))
        stream.flush()
    except OSError as error:
        drop(stream)
        if not isinstance(error, BrokenPipeError):
            raise StoreError(f"the result cannot be written to standard output: {plain_reason(error)}.") from error


def drop(stream: TextIO) -> None:
    """Let whatever is still written to a stream that does not work, even as the process ends, go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def escape_what_cannot_be_encoded() -> None:
    """Let terminals that do not know a letter, as in the C locale, get its number instead."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


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
