"""What all figures share that only matplotlib knows: settings, and its names for marks, lines and fillings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from stillproof.report.drawing.text_size import FONT
from stillproof.report.figures.looks import FAINT, INK, Fill, Line, Mark
from stillproof.report.figures.pages import SCREEN, Page

MARKERS: Mapping[Mark, str] = {
    "circle": "o",
    "octagon": "8",
    "triangle up": "^",
    "plus": "P",
    "triangle down": "v",
    "pentagon": "p",
    "square": "s",
    "cross": "X",
    "triangle left": "<",
    "triangle right": ">",
    "star": "*",
    "hexagon": "h",
    "corner upper left": "$\u25e4$",
    "corner lower right": "$\u25e2$",
    "half disc": "$\u25d7$",
}
LINES: Mapping[Line, Literal["-", "--", ":", "-."]] = {"solid": "-", "dashed": "--", "dotted": ":", "dash-dotted": "-."}
HATCHES: Mapping[Fill, str] = {"plain": "", "striped": "////", "dotted": "...", "crossed": "xxxx"}

_SETTINGS: dict[Any, Any] = {
    "font.family": FONT,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": "medium",
    "figure.titlesize": "medium",
    "legend.fontsize": "medium",
    "grid.color": "#dedede",
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "legend.columnspacing": 1.4,
    "legend.labelspacing": 0.3,
    "legend.borderpad": 0.0,
    "hatch.linewidth": 0.8,
    "pdf.fonttype": 42,  # many journals refuse the default of matplotlib
    "svg.hashsalt": "stillproof",  # names inside the file would be random otherwise
}


@contextmanager
def house_style(page: Page = SCREEN) -> Iterator[None]:
    """Draw and save in the look of all figures, whatever this machine's own matplotlib settings say."""
    import matplotlib

    scale = page.points / SCREEN.points
    sizes: dict[Any, Any] = {
        "font.size": page.points,
        "lines.linewidth": 1.5 * scale,
        "lines.markersize": 5.5 * scale,
        "axes.linewidth": 0.8 * scale,
        "grid.linewidth": 0.7 * scale,
        "axes.titlepad": 0.4 * page.points,
        "axes.labelpad": 0.3 * page.points,
    }
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS | sizes)
        yield
