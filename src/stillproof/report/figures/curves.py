"""Curves with intervals and levels: accuracy over images per class or over steps, a score over its weight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stillproof.report.captions import Basis, cut_sentence, join, published_sentence, seeds_sentence
from stillproof.report.figures.canvas import canvas, footnote, keep_within, legend, nothing_to_draw
from stillproof.report.figures.curve_panel import CurvePanel, Level, Point, draw_curve_panel, line_style
from stillproof.report.figures.marks import chance_handle, draw_chance, published_handle
from stillproof.report.figures.style import INK, Look, house_style, looks_of
from stillproof.report.measure import ACCURACY, Measure

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


@dataclass(frozen=True, slots=True)
class Curves:
    """A figure of curves, its panels side by side.

    Args:
        title: Title.
        x_name: Name of the horizontal axis.
        panels: The panels.
        basis: What holds for all numbers.
        chance: The accuracy of guessing, a line across.
        measure: What the vertical axis shows.
        linear: The horizontal axis is not logarithmic.
        lines: What solid and what dashed lines are, where every method has both.
    """

    title: str
    x_name: str
    panels: Sequence[CurvePanel]
    basis: Basis
    chance: float | None = None
    measure: Measure = ACCURACY
    linear: bool = False
    lines: tuple[str, str] | None = None

    def marks(self) -> Iterator[Point | Level]:
        """Return all that has a value."""
        for panel in self.panels:
            yield from (point for curve in panel.curves for point in curve.points)
            yield from panel.levels

    def methods(self) -> Iterator[str]:
        """Return whatever needs a look."""
        yield from (curve.method for panel in self.panels for curve in panel.curves)
        yield from (level.method for panel in self.panels for level in panel.levels)


def draw_curves(data: Curves) -> Figure:
    """Draw curves with bands of their intervals, and published values as diamonds in the curve's colour."""
    marks = list(data.marks())
    if not any(isinstance(mark, Point) and mark.value for mark in marks):
        raise nothing_to_draw("curves")
    looks = looks_of(data.methods())
    with house_style():
        figure, all_axes = canvas(data.title, (3.4 + 4.9 * len(data.panels), 5.0), columns=len(data.panels))
        for axes, panel in zip(all_axes, data.panels, strict=True):
            if data.chance is not None:
                draw_chance(axes, data.chance)
            draw_curve_panel(axes, panel, looks, data.measure, linear=data.linear)
            axes.set_xlabel(data.x_name)
        for axes in all_axes:
            keep_within(axes, data.measure)
        legend(figure, _handles(data, looks))
        footnote(figure, _caption(data, marks))
    return figure


def _caption(data: Curves, marks: Sequence[Point | Level]) -> str:
    values = [mark.value for mark in marks]
    published = published_sentence([mark.published for mark in marks], "Diamonds")
    aside = "Curves stand a little aside from each other." if any(len(p.curves) > 1 for p in data.panels) else ""
    seeds = seeds_sentence(values, "bands and whiskers")
    return join(data.basis.sentence(), seeds, cut_sentence(values, data.measure), aside, published)


def _handles(data: Curves, looks: dict[str, Look]) -> list[Artist]:
    styles = {curve.method: line_style(curve) for panel in data.panels for curve in panel.curves}
    levels = {level.label: level for panel in data.panels for level in panel.levels}
    handles: list[Artist] = [
        _line(name, looks[name].colour, "" if data.lines else style, looks[name].marker)
        for name, style in styles.items()
    ]
    handles += [_line(label, looks[level.method].colour, level.style) for label, level in levels.items()]
    if data.lines:
        solid, dashed = data.lines
        handles += [_line(solid, INK, "-"), _line(dashed, INK, "--")]
    if data.chance is not None:
        handles.append(chance_handle())
    if any(mark.published for mark in data.marks()):
        handles.append(published_handle())
    return handles


def _line(label: str, colour: str, style: Literal["-", "--", "-.", ""], marker: str = "") -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linestyle=style, marker=marker, label=label)
