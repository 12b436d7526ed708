"""Draws any figure with matplotlib, which is imported here and nowhere before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.drawing.bars import draw_bars
from stillproof.report.drawing.curves import draw_curves
from stillproof.report.drawing.embedding import draw_embedding
from stillproof.report.drawing.heat_map import draw_heat_map
from stillproof.report.drawing.plane import draw_plane
from stillproof.report.drawing.radar import draw_radar
from stillproof.report.drawing.scatter import draw_scatter
from stillproof.report.drawing.stacked_bars import draw_stacked_bars
from stillproof.report.drawing.step_curves import draw_step_curves
from stillproof.report.figures.pages import SCREEN, Page
from stillproof.report.figures.radar import Radar
from stillproof.report.figures.values import (
    Bars,
    Curves,
    Embedding,
    HeatMap,
    Plane,
    Scatter,
    StackedBars,
    StepCurves,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stillproof.report.figures.values import FigureData


def draw(figure: FigureData | Figure, page: Page = SCREEN) -> Figure:
    """Return a figure as matplotlib's; one that is matplotlib's already, such as a plug-in may make, stays as it is."""
    match figure:
        case Bars():
            return draw_bars(figure, page)
        case Curves():
            return draw_curves(figure, page)
        case Embedding():
            return draw_embedding(figure, page)
        case HeatMap():
            return draw_heat_map(figure, page)
        case Plane():
            return draw_plane(figure, page)
        case Radar():
            return draw_radar(figure, page)
        case Scatter():
            return draw_scatter(figure, page)
        case StackedBars():
            return draw_stacked_bars(figure, page)
        case StepCurves():
            return draw_step_curves(figure, page)
        case _:
            return figure
