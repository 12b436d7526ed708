from __future__ import annotations

from io import BytesIO
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from PIL import Image

from stillproof.report.captions import Basis
from stillproof.report.drawing.style import MARKERS, house_style
from stillproof.report.figures.looks import LOOKS
from stillproof.score.stats import Summary

BASIS = Basis("fair", "last", "digits; convnet-3")


def summary(mean: float, half: float | None = 0.05, n: int = 3) -> Summary:
    return Summary(mean, None, 1, None) if half is None else Summary(mean, half / 2, n, (mean - half, mean + half))


def lay_out(figure: Figure) -> None:
    """Do what drawing does: only then are numbers on axes made, and everything put in its place."""
    with house_style():
        figure.draw_without_rendering()


def texts(figure: Figure) -> str:
    lay_out(figure)
    found = (item for item in figure.findobj(Text) if isinstance(item, Text) and item.get_visible())
    return " ".join(" ".join(item.get_text().split()) for item in found)


def intervals(axes: Axes) -> list[tuple[float, float, float]]:
    """Return place, lower and upper end of every whisker, each once although it has a rim."""
    found = set()
    for container in axes.containers:
        if isinstance(container, ErrorbarContainer):
            for low, high in (segment for part in container.lines[2] for segment in part.get_segments()):
                found.add((round(float(low[0]), 6), round(float(low[1]), 6), round(float(high[1]), 6)))
    return sorted(found)


def numbers(line: Line2D) -> list[tuple[float, float]]:
    """Return the points of a line."""
    return [(x, y) for x, y in np.asarray(line.get_xydata()).round(6).tolist()]


def marks(axes: Axes, marker: str) -> list[tuple[float, float]]:
    """Return the places of all marks of one kind."""
    return sorted(point for line in axes.lines if line.get_marker() == marker for point in numbers(line))


def marker_of(method: str) -> str:
    """Return matplotlib's name of a method's mark."""
    return MARKERS[LOOKS[method].mark]


def inked_share(figure: Figure) -> float:
    """Return the share of the picture that is not white."""
    buffer = BytesIO()
    with house_style():
        figure.savefig(buffer, format="png", dpi=50)
    pixels = np.asarray(Image.open(buffer).convert("L"))
    return float((pixels < 250).mean())


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Return all pairs of texts that cover each other."""
    lay_out(figure)
    unseen = [label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in _beyond(axis)]
    found = [item for item in figure.findobj(Text) if isinstance(item, Text) and item.get_text() and item.get_visible()]
    boxes = [(item.get_text(), item.get_window_extent()) for item in found if item not in unseen]
    return [
        (one, other)
        for (one, box), (other, second) in combinations(boxes, 2)
        if min(box.x1, second.x1) - max(box.x0, second.x0) > 1 and min(box.y1, second.y1) - max(box.y0, second.y0) > 1
    ]


def _beyond(axis: Axis) -> list[Text]:
    """Return the numbers of an axis that lie outside of what it shows."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
