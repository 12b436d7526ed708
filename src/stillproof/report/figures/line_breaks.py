"""Where texts and names break into lines, whatever measures them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

Ruler: TypeAlias = Callable[[str], float]  # the width of a line


def words_in_lines(text: str, room: float, ruler: Ruler) -> list[str]:
    """Return a text in lines, broken between words; a longer word stays whole."""
    return _filled(text.split(), " ", room, ruler)


def name_in_lines(name: str, room: float, ruler: Ruler) -> list[str]:
    """Return a name in lines; those of components break before their parameters."""
    return [part for line in name.split("\n") for part in _filled(_pieces(line), "", room, ruler)]


def widest_piece(name: str, ruler: Ruler) -> float:
    """Return the width of the widest part of a name that is not broken."""
    return max((ruler(piece.strip()) for line in name.split("\n") for piece in _pieces(line)), default=0.0)


def _pieces(name: str) -> list[str]:
    return [piece for piece in re.split(r"(?<=[- ])|(?=:)", name) if piece]


def _filled(pieces: Sequence[str], between: str, room: float, ruler: Ruler) -> list[str]:
    lines: list[str] = []
    for piece in pieces:
        longer = f"{lines[-1]}{between}{piece}" if lines else piece
        if lines and ruler(longer.rstrip()) <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines]
