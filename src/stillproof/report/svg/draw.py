"""Any figure as a piece of HTML with inline SVG."""

from __future__ import annotations

from stillproof.report.figures.audit_sheet import AuditSheet
from stillproof.report.figures.captions import caption
from stillproof.report.figures.radar import Radar
from stillproof.report.figures.values import (
    Bars,
    Curves,
    Embedding,
    FigureData,
    HeatMap,
    Plane,
    Scatter,
    StackedBars,
    StepCurves,
)
from stillproof.report.svg.audit_sheet import draw_audit_sheet
from stillproof.report.svg.bars import draw_bars
from stillproof.report.svg.curves import draw_curves
from stillproof.report.svg.embedding import draw_embedding
from stillproof.report.svg.heat_map import draw_heat_map
from stillproof.report.svg.page import write_figure, write_nothing
from stillproof.report.svg.panel import Drawn
from stillproof.report.svg.plane import draw_plane
from stillproof.report.svg.radar import draw_radar
from stillproof.report.svg.scatter import draw_scatter
from stillproof.report.svg.stacked_bars import draw_stacked_bars
from stillproof.report.svg.step_curves import draw_step_curves


def to_svg(figure: FigureData | AuditSheet, prefix: str = "figure") -> str:
    """Return a ``figure`` of HTML: title, panels as SVG, legend and caption; names in it are escaped.

    A page needs ``FIGURE_CSS`` of ``page.py`` once, and may set the colours of ``LIGHT_THEME`` or ``DARK_THEME``.

    Args:
        figure: The figure; if nothing is known of it, a sentence stands in its place.
        prefix: What its ids start with, different for each figure of a page.

    Raises:
        BadInput: There are more methods than can be told apart.
    """
    drawn = _drawn(figure)
    if drawn is None:
        return write_nothing(figure.title)
    told = figure.note if isinstance(figure, AuditSheet) else caption(figure)
    return write_figure(figure.title, told, drawn, prefix)


def _drawn(figure: FigureData | AuditSheet) -> Drawn | None:
    match figure:
        case AuditSheet():
            return draw_audit_sheet(figure)
        case Bars():
            return draw_bars(figure)
        case Curves():
            return draw_curves(figure)
        case Embedding():
            return draw_embedding(figure)
        case HeatMap():
            return draw_heat_map(figure)
        case Plane():
            return draw_plane(figure)
        case Radar():
            return draw_radar(figure)
        case Scatter():
            return draw_scatter(figure)
        case StackedBars():
            return draw_stacked_bars(figure)
        case StepCurves():
            return draw_step_curves(figure)
