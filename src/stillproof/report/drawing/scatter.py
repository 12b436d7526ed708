"""A scatter with rank correlations: how architectures rank by a search on a small set, and what they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.drawing.canvas import AROUND, LINE, Canvas, canvas, nothing_to_draw
from stillproof.report.drawing.marks import hollow_handle
from stillproof.report.drawing.style import house_style
from stillproof.report.figures.captions import caption
from stillproof.report.figures.correlations import correlations
from stillproof.report.figures.looks import INK, Look, looks_of
from stillproof.report.figures.pages import SCREEN, Page
from stillproof.report.figures.values import Scatter, Search

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LEAST = 20.0  # ems that a panel needs, with the correlations above it
TALL = 0.34  # of the width of the figure: a panel without its labels


def draw_scatter(data: Scatter, page: Page = SCREEN) -> Figure:
    """Draw one mark per architecture; those that the search chooses are stars, those best in truth are framed."""
    searches = data.shown()
    if not searches:
        raise nothing_to_draw("scatter")
    looks = looks_of(search.method for search in searches)
    with house_style(page):
        drawn = canvas(page, len(searches), TALL * page.width + (AROUND + 3) * page.em, LEAST)
        for axes, search in zip(drawn.axes, searches, strict=True):
            _panel(drawn, axes, data, search, looks[search.method])
        handles = [hollow_handle("chosen by the search", "*", 11), hollow_handle("best in truth", "s", 8)]
        return drawn.finish(data.title, caption(data), handles)


def _panel(drawn: Canvas, axes: Axes, data: Scatter, search: Search, look: Look) -> None:
    axes.margins(0.1)  # so that marks at the edge are whole
    axes.plot(search.proxy, search.truth, linestyle="", marker="o", markersize=4, color=look.colour, alpha=0.65)
    pairs = list(zip(search.proxy, search.truth, strict=True))
    for proxy, truth in pairs:
        if truth == max(search.truth):
            axes.plot(proxy, truth, "s", color="none", markeredgecolor=INK, markersize=9)
        if proxy == max(search.proxy):
            axes.plot(proxy, truth, "*", color=look.colour, markeredgecolor=INK, markersize=11)
    lines, points = correlations(search), drawn.page.small
    axes.set_title(search.method, loc="left", fontweight="bold", pad=5 + 1.1 * LINE * points * len(lines))
    axes.annotate("\n".join(lines), (0, 1), (0, 3), "axes fraction", "offset points", fontsize=points, va="bottom")
    drawn.percent(axes, "x", data.x)
    drawn.percent(axes, "y", data.y)
