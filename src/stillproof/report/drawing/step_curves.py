"""Robust accuracy over eps as steps, one line per attack, with the best known below all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.drawing.canvas import canvas, nothing_to_draw
from stillproof.report.drawing.style import LINES, house_style
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import INK, Line, looks_of
from stillproof.report.figures.pages import SCREEN, Page
from stillproof.report.figures.values import StepCurves, StepLine, StepPanel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAND = 0.12  # opacity
THICK, THIN = 2.4, 1.2


def draw_step_curves(data: StepCurves, page: Page = SCREEN) -> Figure:
    """Draw one panel per model; what is best known is black, with a band of its interval."""
    names = list(dict.fromkeys(line.attack for panel in data.panels for line in panel.lines))
    if not names:
        raise nothing_to_draw("curves of attacks")
    looks = looks_of(names)
    with house_style(page):
        from matplotlib.lines import Line2D

        drawn = canvas(page, len(data.panels))
        for axes, panel in zip(drawn.axes, data.panels, strict=True):
            _steps(axes, panel, panel.best, INK, THICK, "solid")
            for line in panel.lines:
                _steps(axes, panel, line, looks[line.attack].colour, THIN, looks[line.attack].line)
            drawn.title(axes, panel.title)
            drawn.name_x(axes, data.x_name)
            axes.set_xlim(0, panel.radii[-1])
            axes.set_ylim(bottom=0)
            drawn.percent(axes, "y", data.measure)
        handles = [Line2D([], [], color=INK, linewidth=THICK, label=data.panels[0].best.attack)]
        handles += [
            Line2D([], [], color=look.colour, linestyle=LINES[look.line], linewidth=THIN, label=name)
            for name, look in looks.items()
        ]
        return drawn.finish(data.title, caption(data), handles)


def _steps(axes: Axes, panel: StepPanel, line: StepLine, colour: str, width: float, style: Line) -> None:
    axes.step(panel.radii, line.robust, where="post", color=colour, linewidth=width, linestyle=LINES[style])
    if line.ci95:
        low, high = zip(*line.ci95, strict=True)
        axes.fill_between(panel.radii, low, high, color=colour, alpha=BAND, linewidth=0, step="post")
