"""A whole experiment as a TOML file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason


def to_toml(suite: str, params: dict[str, Any]) -> str:
    """Write a suite's parameters; JSON's strings, numbers, booleans and lists are TOML's as well."""
    lines = [f"# stillproof run {suite} --config THIS_FILE", f'suite = "{suite}"']
    lines += [f"{key} = {json.dumps(value)}" for key, value in params.items()]
    return "\n".join(lines) + "\n"


def read_toml(path: Path, suite: str) -> dict[str, Any]:
    """Read a suite's parameters."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"configuration {path} cannot be read: {plain_reason(error)}.") from error
    written = values.pop("suite", suite)
    if written != suite:
        raise BadInput(f"configuration {path} is for suite {written!r}, not {suite!r}.")
    return values
