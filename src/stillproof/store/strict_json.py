"""JSON as the store keeps it: strict, so that every reader in every language can read it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from stillproof.core.errors import BadInput, Corrupt

DEEPEST = 40  # lists and objects inside each other; what is stored has fewer than ten
LARGEST = 2**64  # seeds are drawn from as many
NUL_SHOWN = "\N{SYMBOL FOR NULL}"
SHOWN = 40  # letters of a value that is refused
# As JSON writes them; line breaks and tabs are written in another way.
_CONTROLS = re.compile(r"(?<!\\)(?:\\\\)*\\u00(?:[01][0-9a-f]|7f|[89][0-9a-f])|[\x7f-\x9f]", re.IGNORECASE)
_HALVES = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


class NotStrict(ValueError):
    """A text that is no JSON as the store keeps it; its message says why."""


def to_text(value: object, what: str) -> str:
    """Write ``value`` with its keys in order of insertion; ``what`` names it if that cannot be done."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{what} cannot be stored as JSON: {error} (write null for what is not a number).") from error


def storable(text: str) -> str:
    """Return a text as every database keeps it: NUL, and bytes of file names that are no letters, are shown."""
    return text.replace("\0", NUL_SHOWN).encode(errors="backslashreplace").decode()


def from_text(text: str | None, kind: type | None = None) -> Any:
    """Read what ``to_text`` wrote, of one kind or any; None stays None.

    Raises:
        Corrupt: It is something else by now.
    """
    try:
        value = None if text is None else json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise damaged(type(error).__name__) from error
    if kind is not None and not isinstance(value, kind | None):
        raise damaged(f"{type(value).__name__} for {kind.__name__}")
    return value


def damaged(how: str) -> Corrupt:
    """Return the error that what the database holds is something else by now."""
    return Corrupt(
        f"a value in the database of the store is damaged ({how}): restore a copy, or move it away and run again."
    )


def with_numbers(text: str, parse_int: Callable[[str], int] = int) -> Any:
    """Read JSON whose numbers are some.

    Raises:
        NotStrict: It is no JSON, or has what is no number.
    """
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite, parse_int=parse_int)
    except (ValueError, RecursionError) as error:
        raise NotStrict(str(error) if isinstance(error, NotStrict) else "it is not JSON") from None


def from_stranger(text: object) -> Any:
    """Read JSON that somebody else wrote.

    Raises:
        NotStrict: It is none, or holds what no reader could make sense of: what is no number, or larger than any; text
            that no terminal should be shown; objects inside each other without end.
    """
    if not isinstance(text, str):
        raise NotStrict("it is not JSON")
    value = with_numbers(text, _countable)
    _check_depth(value)
    _check_letters(text, value)
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _inside(one) if isinstance(inner, dict | list)]
        if not level:
            return
    raise NotStrict(f"it has more than {DEEPEST} lists and objects inside each other")


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _check_letters(text: str, value: Any) -> None:
    """Refuse letters that a terminal would obey, or that are halves of letters."""
    try:
        if _HALVES.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise NotStrict("it has halves of letters") from None
    if _CONTROLS.search(text):
        raise NotStrict("it has letters that cannot be printed")


def _refuse(word: str) -> NoReturn:
    raise NotStrict(f"it has {word}, which is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotStrict(f"it has {text[:SHOWN]}, which is no number")
    return value


def _countable(text: str) -> int:
    if len(text) > SHOWN or abs(int(text)) > LARGEST:
        raise NotStrict(f"it has {text[:SHOWN]}, which is larger than any number here")
    return int(text)
