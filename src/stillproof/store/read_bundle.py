"""Reads and writes bundles; what is none, or cannot be true, is refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import TooLarge, read_regular_text
from stillproof.core.spec import Json, digest
from stillproof.core.validate import wanted
from stillproof.store.strict_json import NotStrict, with_numbers

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle

LARGEST = 20_000_000  # bytes of a file
KIND = "stillproof results"
SHOWN = 40  # letters of a value that is refused
_ALWAYS = ("asks", "keys")  # of a part, whatever they are


def read_bundle(path: Path) -> Bundle:
    """Read a bundle from a file.

    Raises:
        BadInput: It is none, is of another version of the format, or says what cannot be true.
    """
    try:
        text = read_regular_text(path, LARGEST)
    except TooLarge:
        raise BadInput(f"{path} has more than {LARGEST // 1_000_000} MB, which no bundle of results has.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {plain_reason(error)}.") from error
    return parse_bundle(text, str(path))


def parse_bundle(text: str, where: str) -> Bundle:
    """Read a bundle from its text; ``where`` names it.

    Raises:
        BadInput: As in ``read_bundle``.
    """
    from pydantic import ValidationError

    from stillproof.store.bundle import SCHEMA, Bundle

    try:
        value = with_numbers(text)
    except NotStrict as error:
        raise BadInput(f"{where} is not a bundle of results: {error}.") from None
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise BadInput(f"{where} is not a bundle of results: `stillproof db export-results` writes those.")
    if value.get("schema") != SCHEMA:
        raise BadInput(
            f"{where} has schema {_short(value.get('schema'))}, and this version of Stillproof reads {SCHEMA}: "
            "get the file again, or another version of Stillproof."
        )
    try:
        return Bundle.model_validate(value)
    except ValidationError as error:
        raise BadInput(f"{where} cannot be right: {_sentence(error.errors()[0])}.") from None


def bundle_json(bundle: Bundle) -> Json:
    """Return a bundle as JSON values; what parts of it leave open is left out."""
    found: Json = bundle.model_dump(by_alias=True)
    found["components"] = [_said(one) for one in found["components"]]
    found["rows"] = [_said(one) for one in found["rows"]]
    found["answers"] = {cell: _said(one) for cell, one in found["answers"].items()}
    return found


def _said(part: Json) -> Json:
    return {key: value for key, value in part.items() if (value is not None and value != {}) or key in _ALWAYS}


def bundle_text(bundle: Bundle) -> str:
    """Write a bundle as a file has it: a line for each row and answer, so that two versions can be compared."""
    parts = []
    for key, value in bundle_json(bundle).items():
        if isinstance(value, list) and value:
            parts.append(f'"{key}": [\n' + ",\n".join(_written(one) for one in value) + "\n]")
        elif isinstance(value, dict) and key in ("questions", "answers") and value:
            lines = (f"{_written(name)}: {_written(one)}" for name, one in value.items())
            parts.append(f'"{key}": {{\n' + ",\n".join(lines) + "\n}")
        else:
            parts.append(f'"{key}": {_written(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def bundle_hash(bundle: Bundle) -> str:
    """Return the hash of what a bundle says, however its file is laid out."""
    return digest(bundle_json(bundle))


def _written(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _sentence(details: Any) -> str:
    place = _place(details["loc"])
    if details["type"] == "value_error":
        return f"{place}{': ' if place else ''}{wanted(details)}"
    if details["type"] == "missing":
        return f"it lacks {place}"
    if details["type"] == "extra_forbidden":
        return f"it has {place}, which this version does not know"
    return f"{place} = {_short(details['input'])} is not allowed: {_WANTED.get(details['type']) or wanted(details)}"


_WANTED = {
    "greater_than_equal": "it is too small",
    "string_too_long": "it is too long",
    "string_pattern_mismatch": "it is no id",
    "literal_error": "it is none of what is known",
}


def _place(loc: Sequence[int | str]) -> str:
    return ".".join(_short(part, quoted=False) for part in loc)


def _short(value: Any, *, quoted: bool = True) -> str:
    if isinstance(value, str) and len(value) == 64:
        value = value[:12]  # an id
    text = repr(value) if quoted else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
