"""Elements of SVG and HTML as values: text in them is escaped when they are written, so that no name can be markup."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Attribute: TypeAlias = str | float
EMPTY = frozenset({"circle", "image", "line", "path", "rect"})  # elements that never have content
# What XML cannot hold, and what turns the direction of all the text after it.
_UNFIT = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Element:
    """An element with its attributes and what is in it."""

    name: str
    attributes: Mapping[str, Attribute]
    content: Sequence[Element | str]

    def __str__(self) -> str:
        start = "".join((self.name, *(f' {key}="{_written(value)}"' for key, value in self.attributes.items())))
        if self.name in EMPTY and not self.content:
            return f"<{start}/>"
        inner = "".join(str(part) if isinstance(part, Element) else escaped(part) for part in self.content)
        return f"<{start}>{inner}</{self.name}>"


def element(name: str, *content: Element | str, **attributes: Attribute) -> Element:
    """Return an element; ``stroke_width`` is the attribute stroke-width, and ``class_`` is class."""
    return Element(name, {key.strip("_").replace("_", "-"): value for key, value in attributes.items()}, content)


def escaped(text: str) -> str:
    """Return a text as it is written in markup; what cannot be written is seen as a question mark."""
    return html.escape(_UNFIT.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")))


def number(value: float) -> str:
    """Return a number of at most two decimals, as it is written in markup."""
    if not math.isfinite(value):
        raise ValueError(f"{value} has no place in a figure")
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def path_through(places: Iterable[tuple[float, float]]) -> str:
    """Return the path of a line through places."""
    return f"M{'L'.join(f'{number(x)} {number(y)}' for x, y in places)}"


def _written(value: Attribute) -> str:
    return escaped(value) if isinstance(value, str) else number(value)
