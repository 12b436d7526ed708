"""Ranks on every side as radars, one for each method: the best rank outside, with those that cannot be excluded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.report.drawing.canvas import canvas, nothing_to_draw
from stillproof.report.drawing.style import house_style
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import FAINT, looks_of
from stillproof.report.figures.pages import SCREEN, Page
from stillproof.report.figures.radar import Radar, RadarPanel, Ray, place_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AROUND = 1.62  # half of the width of a panel in rims, so that names have room beside it
ABOVE = 1.3  # the same of its height
NAMES = 1.08  # how far out names stand
BAND = 0.18  # opacity
THICK, DOT = 0.5, 0.35  # of the size of the text
LEAST = 24.0  # ems that a panel needs with the names around it


def draw_radar(data: Radar, page: Page = SCREEN) -> Figure:
    """Draw a polygon of ranks for each method, and a band of the ranks that cannot be excluded."""
    panels = data.shown()
    if not panels:
        raise nothing_to_draw("radar")
    looks = looks_of(panel.method for panel in panels)
    with house_style(page):
        wide = max(page.width / 2, min(page.width, LEAST * page.em))
        drawn = canvas(page, len(panels), height=wide * ABOVE / AROUND + page.em, least=LEAST)
        for axes, panel in zip(drawn.axes, panels, strict=True):
            _grid(axes, panel, page.small)
            _shape(axes, panel, looks[panel.method].colour, page.points)
            if len(panels) > 1:
                drawn.title(axes, panel.method)
        return drawn.finish(data.title, caption(data))


def _grid(axes: Axes, panel: RadarPanel, points: float) -> None:
    axes.set_axis_off()
    axes.set_xlim(-AROUND, AROUND)
    axes.set_ylim(-ABOVE, ABOVE)
    axes.set_box_aspect(ABOVE / AROUND)  # with the limits above, a rim is round
    turns = len(panel.rays)
    rim = [place_of(turn, turns, 1.0) for turn in range(turns + 1)]
    axes.plot(*zip(*rim, strict=True), color=FAINT, linewidth=0.6)
    for turn, ray in enumerate(panel.rays):
        axes.plot(*zip((0, 0), rim[turn], strict=True), color=FAINT, linewidth=0.4)
        x, y = place_of(turn, turns, NAMES)
        across = "center" if abs(x) < 0.05 else "left" if x > 0 else "right"
        up = "bottom" if y > 0.5 else "top" if y < -0.5 else "center"
        rank = "-" if ray.rank is None else f"{ray.rank}/{ray.of}"
        told = f"{ray.side} {rank}".replace(" ", "\n", 1) if " " in ray.side else f"{ray.side} {rank}"
        name = axes.annotate(told, (x, y), ha=across, va=up, fontsize=points, annotation_clip=False)
        name.set_in_layout(False)  # the limits leave room for it


def _shape(axes: Axes, panel: RadarPanel, colour: str, points: float) -> None:
    turns = len(panel.rays)
    known = [(turn, ray) for turn, ray in enumerate(panel.rays) if ray.rank is not None]
    for turn, ray in known:
        ends = [place_of(turn, turns, ray.reach(rank)) for rank in (ray.best, ray.worst) if rank is not None]
        axes.plot(
            *zip(*ends, strict=True), color=colour, linewidth=THICK * points, alpha=BAND * 2, solid_capstyle="round"
        )
    corners = [place_of(turn, turns, _reach(ray)) for turn, ray in known]
    if len(corners) > 2:
        axes.fill(*zip(*corners, strict=True), color=colour, alpha=BAND, linewidth=0)
    axes.plot(*zip(*_closed(corners), strict=True), color=colour, marker="o", markersize=DOT * points)


def _reach(ray: Ray) -> float:
    return 0.0 if ray.rank is None else ray.reach(ray.rank)


def _closed(corners: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [*corners, corners[0]]
