"""One panel: its place for numbers, with axes around it; and what a figure is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.report.measure import Measure
from stillproof.report.svg.colours import FAINT, GRID
from stillproof.report.svg.element import Element, element, number
from stillproof.report.svg.marks import line_through
from stillproof.report.svg.scales import Scale, percent_text, percent_ticks
from stillproof.report.svg.text import LINE, SIZE, SMALL, label, name_lines, one_line, shortened, text_width

WIDTH = 400.0  # of the view of every panel; about 330 to 480 dots on a page, so that texts are as large as others
LEFT, RIGHT = 42.0, 388.0  # of what is within the axes
TOP = 24.0  # the name of the vertical axis stands above
TALL = 190.0
BOTTOM = TOP + TALL
ROOM = RIGHT - LEFT


@dataclass(frozen=True, slots=True)
class Panel:
    """A picture of ``WIDTH`` with its title and what stands below that in small letters, if there is any."""

    parts: Sequence[Element]
    height: float
    title: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the legend; its sample is drawn in a box of ``SAMPLE``, or one that is wider."""

    name: str
    sample: Sequence[Element]


@dataclass(frozen=True, slots=True)
class Drawn:
    """All that is seen of a figure, but for its title and caption."""

    panels: Sequence[Panel]
    legend: Sequence[Entry] = ()


SAMPLE = (28.0, 16.0)


def upright_axis(scale: Scale, measure: Measure) -> list[Element]:
    """Return lines across with their percents, and the name of the axis above them."""
    parts: list[Element] = []
    for value in percent_ticks(scale):
        y, zero = scale.at(value), value == 0
        parts.append(line_through([(LEFT, y), (RIGHT, y)], FAINT if zero else GRID, width=1.0))
        parts.append(label(percent_text(value), LEFT - 6, y + 0.36 * SMALL, "end", SMALL, fill=FAINT))
    return [*parts, label(shortened(measure.title, WIDTH - 2, SMALL), 0, SMALL, size=SMALL, fill=FAINT)]


def ground_line() -> Element:
    """Return the lower end of a panel."""
    return line_through([(LEFT, BOTTOM), (RIGHT, BOTTOM)], FAINT, width=1.0)


def number_axis(scale: Scale, ticks: Sequence[tuple[float, str]], name: str) -> list[Element]:
    """Return the lower end of a panel with numbers below it, and the name of the axis."""
    parts = [ground_line()]
    for value, text in ticks:
        x, half = scale.at(value), text_width(text, SMALL) / 2
        parts.append(line_through([(x, BOTTOM), (x, BOTTOM + 4)], FAINT, width=1.0))
        middle = min(max(x, half), WIDTH - half)
        parts.append(label(text, middle, BOTTOM + 6 + SMALL, "middle", SMALL, fill=FAINT))
    return [*parts, *axis_name(name, BOTTOM + 6 + LINE * SMALL)]


def height_below(top: float, name: str) -> float:
    """Return where a panel ends whose horizontal axis has its name below ``top``."""
    return top + 6 + LINE * SMALL * max(1, len(_name_lines(name)))


def axis_name(name: str, top: float) -> list[Element]:
    """Return the name of a horizontal axis in the middle below it."""
    middle = (LEFT + RIGHT) / 2
    whole = one_line(name)
    return [
        label(line, middle, top + 3 + SMALL * (1 + LINE * place), "middle", SMALL, whole, fill=FAINT)
        for place, line in enumerate(_name_lines(name))
    ]


def _name_lines(name: str) -> list[str]:
    return name_lines(name, ROOM, SMALL, 2)


NUMBERED = BOTTOM + 6 + LINE * SMALL  # where the name of an axis with numbers starts


def write_panel(panel: Panel, ids: str, title: str, caption: str) -> Element:
    """Return the picture of a panel, which says what it is to whoever cannot see it."""
    named = f"{title}: {panel.title}" if panel.title else title
    return element(
        "svg",
        element("title", named, id=f"{ids}-title"),
        element("desc", caption, id=f"{ids}-desc"),
        *panel.parts,
        viewBox=f"0 0 {number(WIDTH)} {number(panel.height)}",
        width="100%",
        role="img",
        aria_labelledby=f"{ids}-title {ids}-desc",
        font_size=SIZE,
    )
