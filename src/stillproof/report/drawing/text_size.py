"""How wide a text is in a picture, and where it breaks, so that nothing is cut off."""

from __future__ import annotations

from functools import cache, partial

from stillproof.report.figures.line_breaks import Ruler, name_in_lines, widest_piece, words_in_lines

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
    return "\n".join(words_in_lines(text, inches, _ruler(points, bold=bold)))


def wrapped_name(name: str, inches: float, points: float) -> str:
    """Return a name in lines that fit under a column; those of components break before their parameters."""
    return "\n".join(name_in_lines(name, inches, _ruler(points)))


def least_width(name: str, points: float) -> float:
    """Return the width of the widest part of a name that is not broken."""
    return widest_piece(name, _ruler(points))


def _ruler(points: float, *, bold: bool = False) -> Ruler:
    return partial(text_width, points=points, bold=bold)
