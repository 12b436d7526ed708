"""Stacked bars in steps: what an accuracy is made of, where a step may also take something away."""

from __future__ import annotations

import textwrap
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from stillproof.report.drawing.canvas import canvas, footnote, legend, nothing_to_draw, percent_axis, wrapped_names
from stillproof.report.drawing.marks import chance_handle, draw_chance, draw_whiskers
from stillproof.report.drawing.style import FAINT, INK, PAPER, PARTS, house_style
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Stack, StackedBars

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 0.76  # of a bar, where its place is 1 wide
INCHES = 1.85  # of that place
HATCH = "////"
TOTAL = 9.0  # points that its mark is wide
BASE = 0.3  # opacity of the first part below the others
LEGEND_LETTERS = 26


def draw_stacked_bars(data: StackedBars) -> Figure:
    """Draw each part from where the one before it ends, a little to the right of it, and the total at the end."""
    if all(stack.total is None for stack in data.stacks):
        raise nothing_to_draw("stacked bars")
    panels = list(dict.fromkeys(stack.panel for stack in data.stacks))
    groups = list(dict.fromkeys(stack.group for stack in data.stacks))
    with house_style():
        width = min(max(3.4, INCHES * len(groups)), 13.0)
        figure, all_axes = canvas(data.title, (width + 3.2, 1.8 + 2.9 * len(panels)), rows=len(panels))
        for axes, panel in zip(all_axes, panels, strict=True):
            for stack in data.stacks:
                if stack.panel == panel:
                    _draw(axes, stack, groups.index(stack.group), len(data.names))
            axes.set_title(panel, loc="left", fontsize=11)
            axes.set_xticks(range(len(groups)), wrapped_names(groups, width / len(groups)))
            axes.set_xlim(-0.55, len(groups) - 0.45)
            axes.tick_params(axis="x", length=0)
            percent_axis(axes, "y", data.measure)
            if data.chance is not None:
                draw_chance(axes, data.chance)
        all_axes[-1].set_xlabel(data.group_name)
        all_axes[-1].set_ylim(0, min(1.08 * max(map(_highest, data.stacks)), 1.06))  # room for the numbers
        legend(figure, _handles(data))
        footnote(figure, caption(data))
    return figure


def _highest(stack: Stack) -> float:
    levels = [0.0, *accumulate(stack.known())]
    if stack.total is not None:
        levels += [stack.total.mean, *(stack.total.ci95 or ())]
    return min(max(levels), 1.0)


def _draw(axes: Axes, stack: Stack, x: int, steps: int) -> None:
    left, step, level = x - WIDTH / 2, WIDTH / steps, 0.0
    axes.bar(x, (stack.known() or [0.0])[0], WIDTH, color=PARTS[0], alpha=BASE)  # what holds the steps together
    for place, (part, colour) in enumerate(zip(stack.known(), PARTS, strict=False)):
        taken = part < 0
        hatch: dict[str, Any] = {"hatch": HATCH, "edgecolor": PAPER, "linewidth": 0.0} if taken else {}
        axes.bar(left + place * step, part, step, level, align="edge", color=colour, **hatch)
        middle, above = left + (place + 0.5) * step, max(level, level + part)
        text = f"{round(100 * part, 1) + 0.0:+.1f}" if place else f"{100 * part:.1f}"  # no negative zero
        axes.annotate(text, (middle, above), (0, 2), textcoords="offset points", ha="center", fontsize=7.5, color=INK)
        level += part
        axes.hlines(level, left + place * step, min(left + (place + 2) * step, x + WIDTH / 2), color=INK, linewidth=0.8)
    if not stack.known():
        axes.annotate("-", (x, 0), (0, 1), textcoords="offset points", ha="center", fontsize=15, color=FAINT)
    if stack.total is not None:
        end = x + WIDTH / 2 + 0.05
        axes.plot(end, stack.total.mean, marker="_", markersize=TOTAL, markeredgewidth=2.2, color=INK, zorder=3.5)
        draw_whiskers(axes, [end], [stack.total], INK)


def _handles(data: StackedBars) -> list[Artist]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = [
        Patch(color=colour, label=textwrap.fill(name, LEGEND_LETTERS))
        for name, colour in zip(data.names, PARTS, strict=False)
    ]
    total = Line2D([], [], linestyle="", marker="_", markersize=TOTAL, markeredgewidth=2.2, color=INK, label="in all")
    return [*handles, total, *([chance_handle()] if data.chance is not None else [])]
