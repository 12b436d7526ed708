"""What no answer of a bundle can say, whatever its stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 20_000  # letters of a text
MOST_DEEP = 20  # lists within lists
NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,99}", re.ASCII)
ABOUT = ("dataset", "method", "network", "home", "section", "protocol", "selection", "scale", "set")  # texts of a row
# What answers call a share of images, what counts these, and what is never below zero.
SHARES = ("accuracy", "heldout_accuracy", "robust_accuracy", "clean_accuracy", "success_rate", "area", "coverage", "sa")
COUNTS = ("n", "n_test", "n_clean", "n_judged")
AMOUNTS = ("seconds", "clean_seconds", "peak_bytes", "bytes", "passes_per_image", "passes_to_success")
LISTED = "methods"  # the only thing that a row says with a list: what a map shows beside each other
LARGEST = 1e100  # no number of an answer comes near


def check_name(name: str) -> None:
    """Refuse what is no name for a bundle.

    Raises:
        ValueError: It is none.
    """
    if not NAME.fullmatch(name):
        raise ValueError(
            f"{name[:40]!r} is not a name for results: up to 100 letters, digits, and . _ + - between them, make one"
        )


def printable(text: str) -> str:
    """Refuse letters that would do something to a terminal instead of being shown."""
    if not text.replace("\n", " ").replace("\t", " ").isprintable():
        raise ValueError("it has letters that cannot be shown")
    return text


def check_keys(keys: Mapping[str, Any]) -> None:
    """Refuse what no row is about: rows are grouped, and shown, by single values."""
    check_values(keys)
    for key, value in keys.items():
        texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
        if key in ABOUT and not isinstance(value, str) and value is not None:
            raise ValueError(f"{key} of a row is no text")
        if isinstance(value, dict) or (isinstance(value, list) and not (key == LISTED and texts)):
            raise ValueError(f"{key[:40]} of a row is no single value")
    size = keys.get("ipc")
    if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 1):
        raise ValueError("ipc of a row is no number of images")


def check_values(value: Any) -> None:
    """Refuse values that no answer can have, wherever they are in a JSON value."""
    for name, inner in _walk(value, "", 0):
        if isinstance(inner, str):
            if len(inner) > LONGEST:
                raise ValueError(f"{name[:40]} is a text of {len(inner)} letters, and {LONGEST} are the most")
            printable(inner)
        if name in SHARES and isinstance(inner, str | bool):
            raise ValueError(f"{name} is no number")
        if isinstance(inner, int | float) and not isinstance(inner, bool):
            _check_number(name, inner)


def check_counts(result: Mapping[str, Any]) -> None:
    """Refuse numbers of images that are none."""
    for name in COUNTS:
        count = result.get(name)
        if count is not None and (not isinstance(count, int) or isinstance(count, bool)):
            raise ValueError(f"{name} of an answer is no number of images")


def _check_number(name: str, number: float) -> None:
    if abs(number) > LARGEST:
        raise ValueError(f"{name[:40]} has a number that no answer comes near")
    if name in SHARES and not 0 <= number <= 1:
        why = "a share of images is between 0 and 1"
    elif name in COUNTS and number < 1:
        why = "it counts images, of which there is at least one"
    elif name in AMOUNTS and number < 0:
        why = "it cannot be below zero"
    else:
        return
    raise ValueError(f"{name} = {number:.6g} is not allowed: {why}")


def _walk(value: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield all values that are no lists, each with the key that it stands under."""
    if depth > MOST_DEEP:
        raise ValueError(f"{name} is nested more than {MOST_DEEP} times")
    if isinstance(value, dict):
        for key, inner in value.items():
            yield "a key", key
            yield from _walk(inner, key, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, name, depth + 1)
    else:
        yield name, value
