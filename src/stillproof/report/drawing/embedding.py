"""Real and synthetic features of one class in the plane, with the share of the real ones that is covered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.drawing.canvas import canvas, nothing_to_draw
from stillproof.report.drawing.marks import mark_handle
from stillproof.report.drawing.style import MARKERS, house_style
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import FAINT, INK, REAL_DOTS, Look, looks_of
from stillproof.report.figures.pages import SCREEN, Page
from stillproof.report.figures.values import Cloud, Embedding, Places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALL, LARGE = 2.5, 7.5  # points


def draw_embedding(data: Embedding, page: Page = SCREEN) -> Figure:
    """Draw real points as small grey dots, synthetic ones as large coloured marks."""
    clouds = data.shown()
    if not clouds or not len(data.real):
        raise nothing_to_draw("embedding")
    looks = looks_of(cloud.method for cloud in clouds)
    with house_style(page):
        side = page.width / 2
        drawn = canvas(page, len(clouds), height=side + page.em, least=0)
        for axes, cloud in zip(drawn.axes, clouds, strict=True):
            _panel(axes, data, cloud, looks[cloud.method])
            drawn.title(axes, f"{cloud.method}: {100 * cloud.coverage:.0f} % covered")
        handles = [mark_handle("real", "o", SMALL, REAL_DOTS)]
        handles += [mark_handle(name, MARKERS[look.mark], LARGE, look.colour) for name, look in looks.items()]
        return drawn.finish(data.title, caption(data), handles)


def _panel(axes: Axes, data: Embedding, cloud: Cloud, look: Look) -> None:
    _dots(axes, data.real, "o", REAL_DOTS, SMALL, 0)
    _dots(axes, cloud.points, MARKERS[look.mark], look.colour, LARGE, 0.7)
    # The square is said, not found: what matplotlib finds changes when the figure is laid out anew to be saved.
    along, up = data.square()
    axes.set_xlim(along)
    axes.set_ylim(up)
    axes.set_box_aspect(1)
    axes.tick_params(left=False, labelleft=False, bottom=False, labelbottom=False)
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(FAINT)


def _dots(axes: Axes, places: Places, marker: str, colour: str, size: float, rim: float) -> None:
    xs, ys = zip(*places, strict=True)
    axes.plot(xs, ys, linestyle="", marker=marker, color=colour, markersize=size, markeredgecolor=INK, mew=rim)
