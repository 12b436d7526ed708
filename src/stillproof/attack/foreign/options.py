"""Options of other libraries' attacks, as people write them, and in the one form that is part of a cell's name."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from typing import Any

from stillproof.core.number_text import number_of
from stillproof.core.reference import parse_list, parse_reference, write_reference

NEEDED = object()  # stands for the default of an option that has none
PLAIN = re.compile(r"[\w.+-]+")  # a text that needs no quotes
WORDS = {"true": True, "false": False, "none": None, "inf": math.inf, "-inf": -math.inf}


def option_value(text: str, usual: Any = NEEDED) -> Any:
    """Return what a text means: 0.5, 8/255, true, false, none, inf, 1,2,3, Python in quotes or brackets, or a word.

    Where the default is a text, a text it stays, and numbers become of its kind: libraries refuse 1 for 1.0.
    """
    if isinstance(usual, str):
        return _unquoted(text)
    return _as_usual(_read(text), usual)


def option_text(value: Any) -> str:
    """Return a value as text that ``option_value`` reads as the same."""
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) and _read(value) == value else repr(value)
    if isinstance(value, tuple | list):
        return ",".join(f"({option_text(one)})" if _is_several(one) else option_text(one) for one in value) + (
            "," if len(value) == 1 else ""
        )
    for word, meant in WORDS.items():
        if value is meant or (isinstance(value, float) and value == meant and math.isinf(value)):
            return word
    return repr(value.item() if hasattr(value, "item") else value)


def written_options(options: Mapping[str, Any]) -> str:
    """Return options in their order, as ``eps=0.03:steps=20``: what is the same is written the same."""
    return write_reference("", {key: option_text(options[key]) for key in sorted(options)}).removeprefix(":")


def read_options(written: str) -> dict[str, str]:
    """Return the texts of written options."""
    return parse_reference(f"_:{written}")[1] if written else {}


def _read(text: str) -> Any:
    text = text.strip()
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        return int(text)
    except ValueError:
        pass
    if (number := number_of(text)) is not None:
        return number
    if text[:1] in ("'", '"', "[", "{"):
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return text
    return tuple(_read(part) for part in parse_list(text)) if "," in text else text


def _as_usual(value: Any, usual: Any) -> Any:
    """Return a number as the kind of number that the default is."""
    if isinstance(usual, bool):
        return bool(value) if value in (0, 1) else value
    if isinstance(usual, float) and math.isfinite(usual) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(usual, int) and isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(usual, tuple | list) and usual:
        parts = value if isinstance(value, tuple | list) else (value,)
        return type(usual)(_as_usual(part, usual[0]) for part in parts)
    return value


def _unquoted(text: str) -> str:
    return str(ast.literal_eval(text)) if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _is_several(value: Any) -> bool:
    return isinstance(value, tuple | list)
