"""Stacked bars in steps: what an accuracy is made of, where a step may also take something away."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from stillproof.report.drawing.canvas import AROUND, LABELS, canvas, nothing_to_draw
from stillproof.report.drawing.marks import chance_handle, draw_chance, draw_whiskers
from stillproof.report.drawing.style import HATCHES, house_style
from stillproof.report.drawing.text_size import least_width, text_width, wrapped, wrapped_name
from stillproof.report.figures.bar_lines import highest, part_text, stack_lines
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import FAINT, INK, PAPER, PARTS
from stillproof.report.figures.pages import SCREEN, Page
from stillproof.report.figures.values import Stack, StackedBars
from stillproof.report.figures.without_empty import known_stacks

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 0.8  # of a bar, where its place is 1 wide
NUMBER = "+10.0 "  # the widest that is written on a part
TOTAL = 9.0  # points that its mark is wide
BASE = 0.3  # opacity of the first part below the others
UPRIGHT = 1.5  # ems that a step takes if its number is turned
TALL = 0.32  # of the width of the figure: a line of bars without its labels
LEGEND = 14  # ems, widest name of a part in the legend


def draw_stacked_bars(data: StackedBars, page: Page = SCREEN) -> Figure:
    """Draw each part from where the one before it ends, a little to the right of it, and the total at the end."""
    if all(stack.total is None for stack in data.stacks):
        raise nothing_to_draw("stacked bars")
    shown = known_stacks(data)
    with house_style(page):
        room = page.width - (LABELS + 1.5) * page.em
        place, turned = _place(shown, page, room)
        lines = stack_lines(shown.stacks, place, room)
        most = max(len(line) for line in lines)
        names = [wrapped_name(stack.group, place, page.points) for stack in shown.stacks]
        below = 1.3 * max(name.count("\n") for name in names)
        drawn = canvas(page, len(lines), TALL * page.width + (AROUND + below) * page.em, least=math.inf)
        before = ""
        for axes, line in zip(drawn.axes, lines, strict=True):
            for x, stack in enumerate(line):
                _draw(axes, stack, x, len(data.names), page, turned=turned)
            drawn.title(axes, line[0].panel if line[0].panel != before else f"{before}, continued" if before else "")
            before = line[0].panel
            axes.set_xticks(range(len(line)), [wrapped_name(stack.group, place, page.points) for stack in line])
            axes.set_xlim(-0.55, most - 0.4)
            axes.tick_params(axis="x", length=0)
            drawn.percent(axes, "y", data.measure)
            drawn.name_x(axes, data.group_name)
            if data.chance is not None:
                draw_chance(axes, data.chance)
        number = text_width(NUMBER, page.small) if turned else page.em
        above = number / (TALL * page.width)  # room for the numbers
        high = max(highest(stack) for stack in shown.stacks) / (1 - above)
        drawn.axes[0].set_ylim(0, high)
        drawn.axes[0].set_yticks([tick for tick in drawn.axes[0].get_yticks() if 0 <= tick <= min(high, 1.0)])
        return drawn.finish(data.title, caption(data), _handles(data, page))


def _place(data: StackedBars, page: Page, room: float) -> tuple[float, bool]:
    """Return the width of a bar's place in inches, and whether its numbers are turned to fit in it."""
    number = text_width(NUMBER, page.small)
    flat = len(data.names) * number / WIDTH
    panels = [stack.panel for stack in data.stacks]
    most = max(panels.count(panel) for panel in panels)
    if flat * most <= room:
        return min(room / most, 1.4 * flat), False
    name = max(least_width(stack.group, page.points) for stack in data.stacks)
    return max(len(data.names) * UPRIGHT * page.em / WIDTH, name + page.em / 2), True


def _draw(axes: Axes, stack: Stack, x: int, steps: int, page: Page, *, turned: bool) -> None:
    left, step, level = x - WIDTH / 2, WIDTH / steps, 0.0
    axes.bar(x, (stack.known() or [0.0])[0], WIDTH, color=PARTS[0], alpha=BASE)  # what holds the steps together
    for place, (part, colour) in enumerate(zip(stack.known(), PARTS, strict=False)):
        hatch: dict[str, Any] = {"hatch": HATCHES["striped"], "edgecolor": PAPER, "linewidth": 0.0} if part < 0 else {}
        axes.bar(left + place * step, part, step, level, align="edge", color=colour, **hatch)
        middle, above = left + (place + 0.5) * step, max(level, level + part)
        text = part_text(part, place)
        where: dict[str, Any] = {
            "textcoords": "offset points",
            "ha": "center",
            "va": "bottom",
            "rotation": 90 if turned else 0,
        }
        axes.annotate(text, (middle, above), (0, 2), fontsize=page.small, color=INK, **where)
        level += part
        axes.hlines(level, left + place * step, min(left + (place + 2) * step, x + WIDTH / 2), color=INK, linewidth=0.8)
    if not stack.known():
        axes.annotate("-", (x, 0), (0, 1), textcoords="offset points", ha="center", color=FAINT, fontsize="xx-large")
    if stack.total is not None:
        end = x + WIDTH / 2 + 0.05
        axes.plot(end, stack.total.mean, marker="_", markersize=TOTAL, markeredgewidth=2.2, color=INK, zorder=3.5)
        draw_whiskers(axes, [end], [stack.total], INK)


def _handles(data: StackedBars, page: Page) -> list[Artist]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = [
        Patch(color=colour, label=wrapped(name, LEGEND * page.em, page.points))
        for name, colour in zip(data.names, PARTS, strict=False)
    ]
    total = Line2D([], [], linestyle="", marker="_", markersize=TOTAL, markeredgewidth=2.2, color=INK, label="in all")
    return [*handles, total, *([chance_handle()] if data.chance is not None else [])]
