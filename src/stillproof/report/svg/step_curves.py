"""Robust accuracy over the size of the change as steps, one line per attack, with the best known below all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from stillproof.core.number_text import size_text
from stillproof.report.figures.looks import Look, looks_of
from stillproof.report.figures.values import StepCurves, StepLine, StepPanel
from stillproof.report.svg.colours import INK, colour_of
from stillproof.report.svg.element import Element
from stillproof.report.svg.legend import lined, marked
from stillproof.report.svg.marks import area, line_through, mark, spot, told
from stillproof.report.svg.panel import (
    BOTTOM,
    LEFT,
    NUMBERED,
    RIGHT,
    TOP,
    Drawn,
    Panel,
    height_below,
    number_axis,
    upright_axis,
)
from stillproof.report.svg.scales import Scale, linear_ticks, percent_scale
from stillproof.report.svg.text import SMALL, text_width

BAND = 0.12  # opacity
THICK, THIN = 2.8, 1.5
MOST_MARKS, MOST_SPOTS = 6, 40  # of a line
SMALLER = 3.6  # radius of a mark


def draw_step_curves(data: StepCurves) -> Drawn | None:
    """Draw one panel per model; what is best known is thick, with a band of its interval."""
    names = list(dict.fromkeys(line.attack for panel in data.panels for line in panel.lines))
    if not names:
        return None
    looks = looks_of(names)
    every = [line for panel in data.panels for line in (panel.best, *panel.lines)]
    ends = [end for line in every for end in (*line.robust, *(high for _, high in line.ci95))]
    scale = percent_scale(ends, data.measure, BOTTOM, TOP, zero=True)
    best = lined(data.panels[0].best.attack, INK, "solid", THICK)
    entries = [best, *(marked(name, look, look.line) for name, look in looks.items())]
    return Drawn([_panel(panel, data, scale, looks) for panel in data.panels], entries)


def _panel(panel: StepPanel, data: StepCurves, scale: Scale, looks: dict[str, Look]) -> Panel:
    along = Scale(0.0, max(panel.radii), LEFT, RIGHT)
    ticks = linear_ticks([0.0, *panel.radii], along, lambda x: text_width(size_text(x), SMALL) + 0.6 * SMALL)
    parts = upright_axis(scale, data.measure)
    parts += number_axis(along, [(x, size_text(x)) for x in ticks], data.x_name)
    parts += _steps(panel, panel.best, along, scale, None)
    for number, line in enumerate(panel.lines):
        parts += _steps(panel, line, along, scale, looks[line.attack], number)
    return Panel(parts, height_below(NUMBERED, data.x_name), panel.title)


def _steps(
    panel: StepPanel, line: StepLine, along: Scale, scale: Scale, look: Look | None, number: int = 0
) -> list[Element]:
    """Return a line with some marks, not at the same places as those of its neighbours; the best of all has none."""
    colour = INK if look is None else colour_of(look)
    parts: list[Element] = []
    if line.ci95:
        low, high = zip(*line.ci95, strict=True)
        outline = [*_stairs(panel.radii, low, along, scale), *reversed(_stairs(panel.radii, high, along, scale))]
        parts.append(area(outline, colour, BAND))
    stairs = _stairs(panel.radii, line.robust, along, scale)
    parts.append(line_through(stairs, colour, look.line if look else "solid", THIN if look else THICK))
    every, seen = math.ceil(len(panel.radii) / MOST_MARKS), math.ceil(len(panel.radii) / MOST_SPOTS)
    for place, (radius, robust) in enumerate(zip(panel.radii, line.robust, strict=True)):
        x, y = along.at(radius), scale.at(robust)
        if look is not None and place % every == number % every:
            parts.append(told(_about(line, place, radius), mark(look, x, y, radius=SMALLER)))
        elif place % seen == 0:
            parts.append(told(_about(line, place, radius), spot(x, y)))
    return parts


def _about(line: StepLine, place: int, radius: float) -> str:
    ends = [100 * end for end in line.ci95[place]] if line.ci95 else []
    interval = f" (95 %: {ends[0]:.1f} to {ends[1]:.1f})" if ends else ""
    return f"{line.attack} within {size_text(radius)}: {100 * line.robust[place]:.1f} %{interval}"


def _stairs(xs: Sequence[float], values: Sequence[float], along: Scale, scale: Scale) -> list[tuple[float, float]]:
    """Return places of a line that stays as it is until the next number."""
    places = [(along.at(x), scale.at(value)) for x, value in zip(xs, values, strict=True)]
    corners = [corner for one, two in pairwise(places) for corner in (one, (two[0], one[1]))]
    return [*corners, places[-1]]
