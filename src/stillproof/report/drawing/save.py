"""Writes a figure as PNG, PDF or SVG; equal figures are equal files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillproof.core.errors import BadInput, StoreError
from stillproof.core.plain_reason import plain_reason
from stillproof.report.drawing.draw import draw
from stillproof.report.drawing.style import house_style
from stillproof.report.figures.looks import PAPER
from stillproof.report.figures.pages import SCREEN, Page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stillproof.report.figures.values import FigureData

# What says when and with which version of matplotlib a file was written is left out.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    ".svg": {"Creator": None, "Date": None},
}


def check_ending(path: Path) -> str:
    """Return the ending of a figure's file, in small letters.

    Raises:
        BadInput: No figure can be written under that name.
    """
    ending = path.suffix.lower()
    if ending not in METADATA:
        raise BadInput(f"{path} cannot be written as a figure: end its name in one of {', '.join(METADATA)}.")
    return ending


def save_figure(figure: FigureData | Figure, path: Path, page: Page = SCREEN) -> None:
    """Write a figure in the form that the name ends in; missing folders are made."""
    ending = check_ending(path)
    drawn = draw(figure, page)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with house_style(page):
            drawn.savefig(path, format=ending[1:], dpi=page.dots_per_inch, facecolor=PAPER, metadata=METADATA[ending])
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {plain_reason(error)}.") from error


def save_figures(
    figures: Mapping[str, FigureData | Figure], folder: Path, form: str, page: Page = SCREEN
) -> list[Path]:
    """Write figures into a folder, each under its name, in one form; return their files."""
    paths = {folder / f"{name}.{form}": figure for name, figure in figures.items()}
    for path, figure in paths.items():
        save_figure(figure, path, page)
    return list(paths)
