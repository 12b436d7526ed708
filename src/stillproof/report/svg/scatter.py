"""How architectures rank by a search on a small set, and what they are worth, with rank correlations."""

from __future__ import annotations

from stillproof.report.figures.correlations import correlations
from stillproof.report.figures.looks import Look, looks_of
from stillproof.report.figures.values import Scatter, Search
from stillproof.report.svg.colours import INK, PAPER, colour_of
from stillproof.report.svg.element import Element, element
from stillproof.report.svg.legend import MIDDLE
from stillproof.report.svg.marks import told
from stillproof.report.svg.panel import (
    BOTTOM,
    LEFT,
    NUMBERED,
    RIGHT,
    TOP,
    Drawn,
    Entry,
    Panel,
    height_below,
    number_axis,
    upright_axis,
)
from stillproof.report.svg.scales import Scale, percent_scale, percent_text, percent_ticks
from stillproof.report.svg.shapes import shape

DOT, STAR, FRAME = 3.2, 6.5, 7.0


def draw_scatter(data: Scatter) -> Drawn | None:
    """Draw one mark per architecture; those that the search chooses are stars, those best in truth are framed."""
    searches = data.shown()
    if not searches:
        return None
    looks = looks_of(search.method for search in searches)
    up = percent_scale([truth for search in searches for truth in search.truth], data.y, BOTTOM, TOP)
    entries = [Entry("chosen by the search", [_star(*MIDDLE, PAPER)]), Entry("best in truth", [_frame(*MIDDLE)])]
    return Drawn([_panel(search, data, up, looks[search.method]) for search in searches], entries)


def _panel(search: Search, data: Scatter, up: Scale, look: Look) -> Panel:
    along = percent_scale(search.proxy, data.x, LEFT, RIGHT)
    numbers = [(value, percent_text(value)) for value in percent_ticks(along)]
    parts = [*upright_axis(up, data.y), *number_axis(along, numbers, data.x.title)]
    colour = colour_of(look)
    for proxy, truth in zip(search.proxy, search.truth, strict=True):
        x, y = along.at(proxy), up.at(truth)
        chosen, best = proxy == max(search.proxy), truth == max(search.truth)
        drawn = [_star(x, y, colour)] if chosen else [element("circle", cx=x, cy=y, r=DOT, fill=colour)]
        said = f"{search.method}: {data.x.name} {100 * proxy:.1f} %, {data.y.name} {100 * truth:.1f} %"
        said += ", chosen by the search" * chosen + ", best in truth" * best
        parts.append(told(said, *drawn, *([_frame(x, y)] if best else [])))
    return Panel(parts, height_below(NUMBERED, data.x.title), search.method, correlations(search))


def _star(x: float, y: float, fill: str) -> Element:
    return shape("star", x, y, STAR, fill=fill, stroke=INK, stroke_width=1)


def _frame(x: float, y: float) -> Element:
    return shape("square", x, y, FRAME, fill="none", stroke=INK, stroke_width=1.2)
