"""A scatter with rank correlations: how architectures rank by a search on a small set, and what they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.drawing.canvas import canvas, footnote, grid_size, legend, nothing_to_draw, percent_axis
from stillproof.report.drawing.style import INK, Look, house_style, looks_of
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Scatter, Search
from stillproof.score.agreement import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


def draw_scatter(data: Scatter) -> Figure:
    """Draw one mark per architecture; those that the search chooses are stars, those best in truth are framed."""
    searches = data.shown()
    if not searches:
        raise nothing_to_draw("scatter")
    looks = looks_of(search.method for search in searches)
    rows, columns = grid_size(len(searches))
    with house_style():
        figure, all_axes = canvas(data.title, (2.2 + 3.9 * columns, 1.5 + 3.8 * rows), rows, columns)
        for axes in all_axes[len(searches) :]:
            axes.set_visible(False)
        for axes, search in zip(all_axes, searches, strict=False):
            _panel(axes, data, search, looks[search.method])
        for axes in all_axes[::columns]:
            axes.set_ylabel(data.y.title)
        legend(figure, [_handle("chosen by the search", "*", 13), _handle("best in truth", "s", 9)])
        footnote(figure, caption(data))
    return figure


def _panel(axes: Axes, data: Scatter, search: Search, look: Look) -> None:
    axes.plot(search.proxy, search.truth, linestyle="", marker="o", markersize=5, color=look.colour, alpha=0.65)
    pairs = list(zip(search.proxy, search.truth, strict=True))
    for proxy, truth in pairs:
        if truth == max(search.truth):
            axes.plot(proxy, truth, "s", color="none", markeredgecolor=INK, markersize=11)
        if proxy == max(search.proxy):
            axes.plot(proxy, truth, "*", color=look.colour, markeredgecolor=INK, markersize=14)
    lines = _lines(search)
    axes.set_title(search.method, loc="left", fontsize=11, fontweight="bold", pad=6 + 12 * len(lines))
    axes.annotate("\n".join(lines), (0, 1), (0, 4), "axes fraction", "offset points", fontsize=9, va="bottom")
    percent_axis(axes, "x", data.x)
    percent_axis(axes, "y", data.y)
    axes.set_ylabel("")


def _lines(search: Search) -> list[str]:
    published = f", published {search.published.spearman:.2f}" if search.published else ""
    agreement = search.agreement
    return [f"Spearman {_text(agreement.spearman)}{published}", f"Kendall {_text(agreement.kendall)}"]


def _text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    interval = "" if estimate.ci95 is None else f" [{estimate.ci95[0]:.2f}, {estimate.ci95[1]:.2f}]"
    return f"{estimate.value:.2f}{interval}"


def _handle(label: str, marker: str, size: float) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="", marker=marker, color="none", markeredgecolor=INK, markersize=size, label=label)
