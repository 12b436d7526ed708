"""Curves with intervals and levels: accuracy over images per class, or over the steps of a distillation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.report.captions import Basis, cut_sentence, join, published_sentence, seeds_sentence
from stillproof.report.figures.canvas import canvas, footnote, legend, nothing_to_draw
from stillproof.report.figures.curve_panel import CurvePanel, Level, Point, draw_curve_panel, line_style
from stillproof.report.figures.marks import chance_handle, draw_chance, published_handle
from stillproof.report.figures.style import Look, house_style, looks_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Curves:
    """A figure of curves over a logarithmic axis, its panels side by side."""

    title: str
    x_name: str
    panels: Sequence[CurvePanel]
    basis: Basis
    chance: float | None = None

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
            draw_curve_panel(axes, panel, looks)
            axes.set_xlabel(data.x_name)
        bottom, top = all_axes[0].get_ylim()
        all_axes[0].set_ylim(max(bottom, 0.0), min(top, 1.0))
        legend(figure, _handles(data, looks))
        footnote(figure, _caption(data, marks))
    return figure


def _caption(data: Curves, marks: Sequence[Point | Level]) -> str:
    values = [mark.value for mark in marks]
    published = published_sentence([mark.published for mark in marks], "Diamonds")
    aside = "Curves stand a little aside from each other." if any(len(p.curves) > 1 for p in data.panels) else ""
    seeds = seeds_sentence(values, "bands and whiskers")
    return join(data.basis.sentence(), seeds, cut_sentence(values), aside, published)


def _handles(data: Curves, looks: dict[str, Look]) -> list[Artist]:
    from matplotlib.lines import Line2D

    curves = dict.fromkeys(curve.method for panel in data.panels for curve in panel.curves)
    levels = {level.label: level.method for panel in data.panels for level in panel.levels}
    handles: list[Artist] = [
        Line2D([], [], color=looks[name].colour, marker=looks[name].marker, linestyle=line_style(name), label=name)
        for name in curves
    ]
    handles += [
        Line2D([], [], color=looks[method].colour, linestyle="-.", label=label) for label, method in levels.items()
    ]
    if data.chance is not None:
        handles.append(chance_handle())
    if any(mark.published for mark in data.marks()):
        handles.append(published_handle())
    return handles
