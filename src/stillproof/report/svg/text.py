"""Texts within a figure: about how wide they are, how they are broken and shortened, and their elements.

A browser takes whatever font the page and the machine have. Widths are those of DejaVu Sans, among the widest of the
usual ones, so that what is measured fits elsewhere too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import partial
from typing import Literal, TypeAlias

from stillproof.report.figures.line_breaks import name_in_lines, widest_piece
from stillproof.report.svg.colours import INK
from stillproof.report.svg.element import Attribute, Element, element

SIZE, SMALL = 13.0, 11.5
LINE = 1.25  # from line to line, of the size
MORE = "\u2026"
Anchor: TypeAlias = Literal["start", "middle", "end"]
_WIDTHS = {
    **dict.fromkeys("ijlI'|.,:; !()[]/\\-", 0.4),
    **dict.fromkeys("mwMW@%\u2026", 1.0),
    **dict.fromkeys('frt"', 0.47),
}
_DIGIT, _SMALL_LETTER, _LETTER, _WIDE = 0.64, 0.63, 0.8, 1.05


def text_width(text: str, size: float = SIZE) -> float:
    """Return about how wide a line is."""
    return size * sum(map(_share, text))


def _share(letter: str) -> float:
    if letter in _WIDTHS:
        return _WIDTHS[letter]
    if unicodedata.combining(letter):
        return 0.0
    if letter.isdigit():
        return _DIGIT
    if not letter.isascii() and unicodedata.east_asian_width(letter) != "N":
        return _WIDE
    return _SMALL_LETTER if letter.islower() else _LETTER


def one_line(text: str) -> str:
    """Return a text without the breaks that it came with."""
    return " ".join(text.split())


def shortened(text: str, room: float, size: float = SIZE) -> str:
    """Return a text in one line, of which the end is left out, visibly, where there is no room for all of it."""
    line = one_line(text)
    if text_width(line, size) <= room:
        return line
    kept = len(line)
    while kept and text_width(line[:kept].rstrip() + MORE, size) > room:
        kept -= 1
    return line[:kept].rstrip() + MORE


def name_lines(name: str, room: float, size: float = SIZE, most: int = 3) -> list[str]:
    """Return a name in lines that fit, at most so many."""
    lines = name_in_lines(one_line(name), room, partial(text_width, size=size))
    kept = [shortened(line, room, size) for line in lines[:most]]
    if len(lines) > most:
        kept[-1] = shortened(lines[most - 1] + MORE * 2, room, size).rstrip(MORE) + MORE
    return kept


def least_width(name: str, size: float = SIZE) -> float:
    """Return the width of the widest part of a name that is not broken."""
    return widest_piece(one_line(name), partial(text_width, size=size))


def label(
    text: str, x: float, y: float, anchor: Anchor = "start", size: float = SIZE, whole: str = "", **more: Attribute
) -> Element:
    """Return a line of text on its baseline; where it is a shortened one, a tooltip has the whole."""
    tip = [element("title", whole)] if whole and whole != text else []
    place: dict[str, Attribute] = {"x": x, "y": y, "text_anchor": anchor, "font_size": size}
    return element("text", *tip, text, **{**place, "fill": INK, **more})


def labels(
    lines: Sequence[str],
    x: float,
    y: float,
    anchor: Anchor = "middle",
    size: float = SIZE,
    whole: str = "",
    **more: str,
) -> list[Element]:
    """Return lines of text below each other, the first on its baseline at ``y``."""
    cut = whole if any(line.endswith(MORE) for line in lines) else ""
    return [label(line, x, y + LINE * size * place, anchor, size, cut, **more) for place, line in enumerate(lines)]
