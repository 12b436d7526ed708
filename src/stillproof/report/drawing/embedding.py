"""Real and synthetic features of one class in the plane, with the share of the real ones that is covered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.drawing.canvas import canvas, footnote, grid_size, legend, nothing_to_draw
from stillproof.report.drawing.style import FAINT, INK, Look, house_style, looks_of
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Cloud, Embedding, Places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

REAL = "#a9a9a9"


def draw_embedding(data: Embedding) -> Figure:
    """Draw real points as small grey dots, synthetic ones as large coloured marks."""
    clouds = data.shown()
    if not clouds or not len(data.real):
        raise nothing_to_draw("embedding")
    looks = looks_of(cloud.method for cloud in clouds)
    rows, columns = grid_size(len(clouds))
    with house_style():
        figure, all_axes = canvas(data.title, (2.0 + 3.4 * columns, 1.5 + 3.5 * rows), rows, columns)
        for axes in all_axes[len(clouds) :]:
            axes.set_visible(False)
        for axes, cloud in zip(all_axes, clouds, strict=False):
            _panel(axes, data.real, cloud, looks[cloud.method])
        handles = [_handle("real", Look(REAL, "o"), 4), *(_handle(name, look, 9) for name, look in looks.items())]
        legend(figure, handles)
        footnote(figure, caption(data))
    return figure


def _panel(axes: Axes, real: Places, cloud: Cloud, look: Look) -> None:
    axes.plot(*zip(*real, strict=True), linestyle="", marker="o", color=REAL, markersize=2.5, markeredgewidth=0)
    axes.plot(
        *zip(*cloud.points, strict=True),
        linestyle="",
        marker=look.marker,
        color=look.colour,
        markersize=9,
        markeredgecolor=INK,
        markeredgewidth=0.8,
    )
    axes.set_title(f"{cloud.method}: {100 * cloud.coverage:.0f} % covered", loc="left", fontsize=11)
    axes.margins(0.08)  # so that marks at the edge are whole
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(FAINT)


def _handle(label: str, look: Look, size: float) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="", marker=look.marker, color=look.colour, markersize=size, label=label)
