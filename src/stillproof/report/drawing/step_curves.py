"""Robust accuracy over eps as steps, one line per attack, with the best known below all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.drawing.canvas import canvas, footnote, legend, nothing_to_draw, percent_axis
from stillproof.report.drawing.style import INK, house_style, looks_of
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import StepCurves, StepLine, StepPanel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAND = 0.12  # opacity
THICK, THIN = 2.4, 1.2


def draw_step_curves(data: StepCurves) -> Figure:
    """Draw one panel per model; what is best known is black, with a band of its interval."""
    names = list(dict.fromkeys(line.attack for panel in data.panels for line in panel.lines))
    if not names:
        raise nothing_to_draw("curves of attacks")
    looks = looks_of(names)
    with house_style():
        from matplotlib.lines import Line2D

        figure, all_axes = canvas(data.title, (3.4 + 4.9 * len(data.panels), 5.0), columns=len(data.panels))
        for axes, panel in zip(all_axes, data.panels, strict=True):
            _steps(axes, panel, panel.best, INK, THICK)
            for line in panel.lines:
                _steps(axes, panel, line, looks[line.attack].colour, THIN)
            axes.set_title(panel.title, loc="left", fontsize=11)
            axes.set_xlabel(data.x_name)
            axes.set_xlim(0, panel.radii[-1])
            axes.set_ylim(bottom=0)
            percent_axis(axes, "y", data.measure)
        handles = [Line2D([], [], color=INK, linewidth=THICK, label=data.panels[0].best.attack)]
        handles += [Line2D([], [], color=looks[name].colour, linewidth=THIN, label=name) for name in names]
        legend(figure, handles)
        footnote(figure, caption(data))
    return figure


def _steps(axes: Axes, panel: StepPanel, line: StepLine, colour: str, width: float) -> None:
    axes.step(panel.radii, line.robust, where="post", color=colour, linewidth=width)
    if line.ci95:
        low, high = zip(*line.ci95, strict=True)
        axes.fill_between(panel.radii, low, high, color=colour, alpha=BAND, linewidth=0, step="post")
