"""Lays a table out for a width: no number is ever cut, and what does not fit beside the rest stands below it.

A table that fits is printed as it is. In one that does not, headings and texts go over several lines. If that is not
enough, its columns go on below, each time beside those that tell the rows apart, or beside the number of the row if
these take more than half of the width. One row alone is a list of what it holds.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stillproof.core.printable import one_line
from stillproof.core.result_stream import result_stream

GAP = "  "
NARROWEST_TEXT = 16  # a text is not squeezed below that: its columns go on below before
LONGEST_WORD = 24  # longer ones, such as hashes, are broken anywhere
PIECE = re.compile(r"[^\s:,;(=/_]*[:,;(=/_]*\s*")  # what may not be broken, and the blanks after it


@dataclass(frozen=True, slots=True)
class Strip:
    """One column: its heading and cells, and whether they are numbers."""

    heading: str
    cells: Sequence[str]
    is_number: bool

    @property
    def whole(self) -> int:
        """Return the width at which nothing of it is wrapped."""
        return max(len(self.heading), *map(len, self.cells)) if self.cells else len(self.heading)

    @property
    def least(self) -> int:
        """Return the width that it needs: that of its numbers, or of the longest words."""
        words = _longest_piece(self.heading)
        if self.is_number:
            return max(words, *map(len, self.cells)) if self.cells else words
        longest = max(map(_longest_piece, self.cells), default=0)
        return max(words, longest, min(NARROWEST_TEXT, max(map(len, self.cells), default=0)))


def terminal_width() -> int | None:
    """Return the width of the terminal that results are printed on; nothing for a pipe or file, which gets all."""
    return shutil.get_terminal_size().columns if result_stream().isatty() else None


def laid_out(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[bool], width: int | None) -> str:
    """Return a table as lines that are at most ``width`` wide; ``numbers`` says which columns are flush right."""
    header, rows = list(map(one_line, header)), [list(map(one_line, row)) for row in rows]
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    strips = [Strip(*parts) for parts in zip(header, columns, numbers, strict=True)]
    if width is None or _fits(strips, width):
        return _block(strips, width)
    if len(rows) == 1:
        return _listed(header, rows[0], width)
    names = _naming(strips)
    if not names or _total([strips[n].least for n in names]) > width // 2:
        strips, names = [Strip("#", [str(n + 1) for n in range(len(rows))], True), *strips], [0]
    return "\n".join(_block([strips[n] for n in block], width) for block in _blocks(strips, names, width))


def wrapped(text: str, width: int | None, indent: str = "") -> str:
    """Return a text of lines at most ``width`` wide, broken at words, each after an indent."""
    return "\n".join(indent + line for line in (_lines(text, width - len(indent)) if width else [text]))


def _naming(strips: Sequence[Strip]) -> list[int]:
    """Return columns that tell the rows apart: the first text, and as many of the others as it takes, in order."""
    columns = range(len(strips))
    text = next((n for n in columns if not strips[n].is_number), 0)
    names: list[int] = []
    apart, rows = 1, len(strips[0].cells)
    for column in (text, *(n for n in columns if n != text)):
        kinds = len(set(zip(*(strips[n].cells for n in (*names, column)), strict=True)))
        if kinds > apart:
            names, apart = sorted([*names, column]), kinds
    return names if apart == rows else []


def _blocks(strips: Sequence[Strip], names: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns of each block: the names, and as many of the rest as fit."""
    blocks: list[list[int]] = []
    for column in (n for n in range(len(strips)) if n not in names):
        if blocks and _fits([strips[n] for n in (*blocks[-1], column)], width):
            blocks[-1].append(column)
        else:
            blocks.append([*names, column])
    return [sorted(block) for block in blocks]


def _block(strips: Sequence[Strip], width: int | None) -> str:
    """Return columns side by side, under their headings and a rule."""
    widths = _widths(strips, width)
    header = _row([strip.heading for strip in strips], strips, widths)
    rule = GAP.join("-" * one for one in widths)
    body = [_row(cells, strips, widths) for cells in zip(*(strip.cells for strip in strips), strict=True)]
    return "".join(f"{line}\n" for lines in (header, [rule], *body) for line in lines)


def _widths(strips: Sequence[Strip], width: int | None) -> list[int]:
    """Return how wide each column is: headings of numbers are wrapped first, then the widest texts."""
    widths, least = [strip.whole for strip in strips], [strip.least for strip in strips]
    while width is not None and _total(widths) > width:
        may_shrink = [n for n in range(len(widths)) if widths[n] > least[n]]
        if not may_shrink:  # no terminal is as narrow as that, and a number is not cut
            break
        widest = max(may_shrink, key=lambda n: (strips[n].is_number, widths[n]))
        widths[widest] -= 1
    return widths


def _fits(strips: Sequence[Strip], width: int) -> bool:
    return _total([strip.least for strip in strips]) <= width


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _row(cells: Sequence[str], strips: Sequence[Strip], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a row; cells of one line stand in the first of them."""
    parts = [_lines(cell, width) for cell, width in zip(cells, widths, strict=True)]
    sides = [str.rjust if strip.is_number else str.ljust for strip in strips]
    for n in range(max(map(len, parts))):
        line = [
            side(part[n] if n < len(part) else "", one) for side, part, one in zip(sides, parts, widths, strict=True)
        ]
        yield GAP.join(line).rstrip()


def _listed(header: Sequence[str], row: Sequence[str], width: int) -> str:
    """Return a row as a list: on each line a heading and its value, which goes on below it if need be."""
    left = min(max(map(len, header)), width // 2)
    lines: list[str] = []
    for heading, cell in zip(header, row, strict=True):
        named, value = _lines(heading, left), _lines(cell, width - left - len(GAP))
        for n in range(max(len(named), len(value))):
            name, part = (of[n] if n < len(of) else "" for of in (named, value))
            lines.append(f"{name.ljust(left)}{GAP}{part}".rstrip())
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str, width: int) -> list[str]:
    """Return a text in lines of at most ``width``, broken after words and, within long names, after punctuation."""
    if len(text) <= width:
        return [text]
    lines = [""]
    for piece in _pieces(text, width):
        if len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _pieces(text: str, width: int) -> Iterator[str]:
    for word in re.findall(r"\S+\s*", text):
        parts = [word] if len(word.rstrip()) <= width else PIECE.findall(word)
        for part in parts:
            rest = part
            while len(rest.rstrip()) > width:
                yield rest[:width]
                rest = rest[width:]
            yield rest


def _longest_piece(text: str) -> int:
    return min(LONGEST_WORD, max((len(piece.rstrip()) for piece in PIECE.findall(text)), default=0))
