"""A whole experiment as a TOML file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import read_regular_text

MOST_DEEP = 10  # values within values: no suite takes more than a list
MOST_BITS = 64
LONGEST = 80  # letters of a value that is repeated


def to_toml(suite: str, params: dict[str, Any]) -> str:
    """Write a suite's parameters; JSON's strings, numbers, booleans and lists are TOML's as well."""
    lines = [f"# stillproof run {suite} --config THIS_FILE", f'suite = "{suite}"']
    lines += [f"{key} = {json.dumps(value)}" for key, value in params.items()]
    return "\n".join(lines) + "\n"


def read_toml(path: Path, suite: str) -> dict[str, Any]:
    """Read a suite's parameters."""
    try:
        values = tomllib.loads(read_regular_text(path))
    except (OSError, ValueError, RecursionError) as error:  # besides what is no TOML, numbers of thousands of digits
        raise BadInput(f"configuration {path} cannot be read: {plain_reason(error)}.") from error
    wrong = _wrong(values)
    if wrong:
        raise BadInput(f"configuration {path} cannot be right: {wrong}.")
    written = values.pop("suite", suite)
    if written != suite:
        raise BadInput(f"configuration {path} is for suite {str(written)[:LONGEST]!r}, not {suite!r}.")
    return values


def _wrong(values: dict[str, Any]) -> str:
    """Return what no suite can be given; nothing, if there is nothing of the kind."""
    left: list[tuple[Any, int]] = [(values, 0)]
    while left:
        value, depth = left.pop()
        if depth > MOST_DEEP:
            return f"it has values within values within values, more than {MOST_DEEP} deep"
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            return f"it has a whole number of more than {MOST_BITS} bits, which TOML does not know"
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        left += [(one, depth + 1) for one in inner]
    return ""
