"""How wide a text is, and where it breaks, so that nothing is cut off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

FONT = "DejaVu Sans"  # comes with matplotlib, so that a figure is the same everywhere


@cache
def text_width(text: str, points: float, *, bold: bool = False) -> float:
    """Return the width of a line in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, weight="bold" if bold else "normal", size=points)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def wrapped(text: str, inches: float, points: float, *, bold: bool = False) -> str:
    """Return a text in lines of at most so many inches, broken between words; a longer word stays whole."""
    return "\n".join(_filled(text.split(), " ", inches, points, bold=bold))


def wrapped_name(name: str, inches: float, points: float) -> str:
    """Return a name in lines that fit under a column; those of components break before their parameters."""
    return "\n".join("\n".join(_filled(_pieces(line), "", inches, points)) for line in name.split("\n"))


def least_width(name: str, points: float) -> float:
    """Return the width of the widest part of a name that is not broken."""
    return max((text_width(piece.strip(), points) for line in name.split("\n") for piece in _pieces(line)), default=0.0)


def _pieces(name: str) -> list[str]:
    return [piece for piece in re.split(r"(?<=[- ])|(?=:)", name) if piece]


def _filled(pieces: Sequence[str], between: str, inches: float, points: float, *, bold: bool = False) -> list[str]:
    lines: list[str] = []
    for piece in pieces:
        longer = f"{lines[-1]}{between}{piece}" if lines else piece
        if lines and text_width(longer.rstrip(), points, bold=bold) <= inches:
            lines[-1] = longer
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines]
