"""Stacked bars in steps: what an accuracy is made of, where a step may also take something away."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.figures.bar_lines import highest, part_text, stack_lines
from stillproof.report.figures.looks import PARTS
from stillproof.report.figures.values import Stack, StackedBars
from stillproof.report.figures.without_empty import known_stacks
from stillproof.report.svg.colours import FAINT, INK
from stillproof.report.svg.element import Attribute, Element, element, number
from stillproof.report.svg.hatch import hatched
from stillproof.report.svg.legend import MIDDLE, chance_entries, filled
from stillproof.report.svg.marks import chance_line, line_through, told, value_text, whisker
from stillproof.report.svg.panel import (
    BOTTOM,
    LEFT,
    RIGHT,
    ROOM,
    TALL,
    TOP,
    Drawn,
    Entry,
    Panel,
    axis_name,
    height_below,
    upright_axis,
)
from stillproof.report.svg.scales import Scale, percent_scale
from stillproof.report.svg.text import LINE, SIZE, SMALL, label, labels, least_width, name_lines, text_width

WIDTH = 0.8  # of a bar, where its place is 1 wide
NUMBER = "+10.0 "  # the widest that is written on a part
TOTAL = 8.0  # that its mark is wide
BASE = 0.3  # opacity of the first part below the others
UPRIGHT = 17.0  # that a step takes if its number is turned
NAME = 110.0


def draw_stacked_bars(data: StackedBars) -> Drawn | None:
    """Draw each part from where the one before it ends, a little to the right of it, and the total at the end."""
    if all(stack.total is None for stack in data.stacks):
        return None
    shown = known_stacks(data)
    place, turned = _place(shown)
    number_tall = text_width(NUMBER, SMALL) if turned else SMALL
    high = max(highest(stack) for stack in shown.stacks) / (1 - number_tall / TALL)  # room for the numbers
    scale = percent_scale([min(high, 1.0)], data.measure, BOTTOM, TOP + number_tall, zero=True)
    lines = stack_lines(shown.stacks, place, ROOM)
    place = min(ROOM / max(map(len, lines)), 1.6 * place)
    most = max(len(name_lines(stack.group, place - 4, SMALL)) for stack in shown.stacks)
    panels = [
        _panel(line, shown, scale, place, most, turned=turned, title=_title(line, before))
        for line, before in zip(lines, [None, *lines], strict=False)
    ]
    return Drawn(panels, _legend(data))


def _title(line: Sequence[Stack], before: Sequence[Stack] | None) -> str:
    panel = line[0].panel
    return f"{panel}, continued" if panel and before and before[0].panel == panel else panel


def _place(data: StackedBars) -> tuple[float, bool]:
    """Return the width of a bar's place, and whether its numbers are turned to fit in it."""
    flat = len(data.names) * text_width(NUMBER, SMALL) / WIDTH
    panels = [stack.panel for stack in data.stacks]
    most = max(panels.count(panel) for panel in panels)
    if flat * most <= ROOM:
        return min(ROOM / most, 1.4 * flat), False
    name = max(min(least_width(stack.group, SMALL), NAME) for stack in data.stacks)
    return min(max(len(data.names) * UPRIGHT / WIDTH, name + SIZE / 2), ROOM), True


def _panel(
    line: Sequence[Stack], data: StackedBars, scale: Scale, place: float, most: int, *, turned: bool, title: str
) -> Panel:
    """Return a line of bars; the longest name of any line has so many lines."""
    parts = upright_axis(scale, data.measure)
    if data.chance is not None:
        parts.append(chance_line(LEFT, RIGHT, scale.at(data.chance)))
    for spot, stack in enumerate(line):
        middle = LEFT + place * (spot + 0.5)
        parts.append(_stack(stack, data, middle, place * WIDTH, scale, turned=turned))
        lines = name_lines(stack.group, place - 4, SMALL)
        parts += labels(lines, middle, BOTTOM + 5 + SMALL, "middle", SMALL, stack.group)
    below = BOTTOM + 5 + LINE * SMALL * most
    return Panel([*parts, *axis_name(data.group_name, below)], height_below(below, data.group_name), title)


def _stack(stack: Stack, data: StackedBars, middle: float, width: float, scale: Scale, *, turned: bool) -> Element:
    known, left, step = stack.known(), middle - width / 2, width / len(data.names)
    parts: list[Element] = []
    if known:
        top = scale.at(known[0])
        base: dict[str, Attribute] = {"fill": PARTS[0], "fill_opacity": BASE}  # what holds the steps together
        parts.append(element("rect", x=left, y=top, width=width, height=BOTTOM - top, **base))
    else:
        parts.append(label("\u2013", middle, BOTTOM - 3, "middle", fill=FAINT))
    level = 0.0
    for place, (part, colour) in enumerate(zip(known, PARTS, strict=False)):
        start, x = scale.at(level), left + place * step
        end = scale.at(level + part)
        parts += hatched(x, min(start, end), step, abs(start - end), colour, "striped" if part < 0 else "plain")
        level += part
        parts.append(line_through([(x, end), (min(x + 2 * step, left + width), end)], INK, width=1.0))
        parts.append(_number(part_text(part, place), x + step / 2, min(start, end) - 3, turned=turned))
    names = [
        f"{name} {part_text(part, place)}" for place, (name, part) in enumerate(zip(data.names, known, strict=False))
    ]
    if stack.total is not None:
        end, y = left + width + 2, scale.at(stack.total.mean)
        if stack.total.ci95 is not None:
            parts += whisker(end, (scale.at(stack.total.ci95[0]), scale.at(stack.total.ci95[1])), INK)
        parts.append(line_through([(end - TOTAL / 2, y), (end + TOTAL / 2, y)], INK, width=2.4))
        names.append(f"in all {value_text(stack.total, data.measure)}")
    return told(f"{stack.group}: {', '.join(names) or 'no result'}", *parts)


def _number(text: str, x: float, y: float, *, turned: bool) -> Element:
    if not turned:
        return label(text, x, y, "middle", SMALL)
    place = f"translate({number(x + 0.36 * SMALL)} {number(y)}) rotate(-90)"
    return label(text, 0, 0, "start", SMALL, transform=place)


def _legend(data: StackedBars) -> list[Entry]:
    parts = [filled(name, colour) for name, colour in zip(data.names, PARTS, strict=False)]
    x, y = MIDDLE
    total = line_through([(x - TOTAL / 2, y), (x + TOTAL / 2, y)], INK, width=2.4)
    return [*parts, Entry("in all", [total]), *chance_entries(data.chance)]
