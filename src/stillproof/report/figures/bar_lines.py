"""How bars stand side by side, in as many lines as they need, whatever draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from stillproof.report.figures.line_breaks import Ruler
from stillproof.report.figures.pages import in_lines
from stillproof.report.figures.values import Bar, Stack

LEAST, MOST = 0.7, 2.4  # ems that the place of a bar is wide
BETWEEN = 1.2  # ems between groups


@dataclass(frozen=True, slots=True)
class Line:
    """Groups of a panel that stand side by side, each with its bars and its width in places of bars."""

    panel: str
    groups: Sequence[tuple[str, Sequence[Bar]]]
    widths: Sequence[float]


def bar_place(bars: Sequence[Bar], room: float, em: float) -> float:
    """Return the width of the place of one bar: as much as there is, within what looks like a bar."""
    groups = dict.fromkeys((bar.panel, bar.group) for bar in bars)
    panels = dict.fromkeys(panel for panel, _ in groups)
    most = max(sum(bar.panel == panel for bar in bars) for panel in panels)
    between = BETWEEN * em * max(sum(panel == there for there, _ in groups) for panel in panels)
    return min(max((room - between) / most, LEAST * em), MOST * em)


def bar_lines(bars: Sequence[Bar], place: float, room: float, em: float, least: Ruler) -> list[Line]:
    """Return the groups of each panel in as many lines as they need.

    Args:
        bars: The bars.
        place: Width of the place of one.
        room: Width of a line.
        em: Size of the text; all three are in the same unit.
        least: The least width of a name, in that unit.
    """
    found = []
    for panel in dict.fromkeys(bar.panel for bar in bars):
        here = [bar for bar in bars if bar.panel == panel]
        groups = [(name, [bar for bar in here if bar.group == name]) for name in dict.fromkeys(b.group for b in here)]
        widths = [max(len(group) * place + BETWEEN * em, least(name) + em / 2) / place for name, group in groups]
        for number, line in enumerate(in_lines(widths, room / place)):
            title = panel if number == 0 else f"{panel}, continued" if panel else ""
            found.append(Line(title, [groups[one] for one in line], [widths[one] for one in line]))
    return found


def stack_lines(stacks: Sequence[Stack], place: float, room: float) -> list[list[Stack]]:
    """Return the bars of each panel in as many lines as they need."""
    panels = [[stack for stack in stacks if stack.panel == name] for name in dict.fromkeys(s.panel for s in stacks)]
    return [[panel[one] for one in line] for panel in panels for line in in_lines([place] * len(panel), room)]


def highest(stack: Stack) -> float:
    """Return how far up a bar in steps reaches."""
    levels = [0.0, *accumulate(stack.known())]
    if stack.total is not None:
        levels += [stack.total.mean, *(stack.total.ci95 or ())]
    return min(max(levels), 1.0)


def part_text(part: float, place: int) -> str:
    """Return what is written on a part: the first as it is, a step with its sign."""
    return f"{round(100 * part, 1) + 0.0:+.1f}" if place else f"{100 * part:.1f}"  # no negative zero
