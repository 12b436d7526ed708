"""The legend of a figure as a list of HTML, which flows as wide as there is room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stillproof.report.figures.looks import Fill, Line, Look
from stillproof.report.svg.colours import FAINT, INK, colour_of
from stillproof.report.svg.element import Element, element, number
from stillproof.report.svg.hatch import hatched
from stillproof.report.svg.marks import diamond, line_through, mark
from stillproof.report.svg.panel import SAMPLE, Entry
from stillproof.report.svg.text import shortened

NAME = 420.0  # room for a name
MIDDLE = (SAMPLE[0] / 2, SAMPLE[1] / 2)


def marked(name: str, look: Look, line: Line | None, *, hollow: bool = False) -> Entry:
    """Return the entry of a curve, or of marks alone."""
    return Entry(name, [*lined("", colour_of(look), line).sample, mark(look, *MIDDLE, hollow=hollow)])


def lined(name: str, colour: str, line: Line | None, width: float = 1.8) -> Entry:
    """Return the entry of a line without marks."""
    across = [(1.0, MIDDLE[1]), (SAMPLE[0] - 1, MIDDLE[1])]
    return Entry(name, [line_through(across, colour, line, width)] if line else [])


def filled(name: str, colour: str, fill: Fill = "plain") -> Entry:
    """Return the entry of a bar, or of a part of one."""
    return Entry(name, hatched(4, 1, SAMPLE[0] - 8, SAMPLE[1] - 2, colour, fill))


def published_entries(there: Iterable[object]) -> list[Entry]:
    """Return the entry of the diamond, if anything was published."""
    return [Entry("published", [diamond(*MIDDLE)])] if any(there) else []


def chance_entries(chance: float | None) -> list[Entry]:
    """Return the entry of the dotted line, if there is one."""
    return [] if chance is None else [lined("chance", FAINT, "dotted", 1.4)]


def plain_lines(names: tuple[str, str] | None) -> list[Entry]:
    """Return what solid and dashed lines are, where every method has both."""
    return [lined(names[0], INK, "solid"), lined(names[1], INK, "dashed")] if names else []


def write_legend(entries: Sequence[Entry]) -> list[Element]:
    """Return the list, if there is anything in it; a long name is cut, and whole in its tooltip."""
    items = [element("li", _sample(entry), _name(entry.name)) for entry in entries]
    return [element("ul", *items, class_="sp-legend")] if items else []


def _sample(entry: Entry) -> Element:
    width, height = SAMPLE
    box = f"0 0 {number(width)} {number(height)}"
    size = {"width": f"{number(width / 14)}em", "height": f"{number(height / 14)}em"}
    return element("svg", *entry.sample, viewBox=box, **size, aria_hidden="true")


def _name(name: str) -> Element:
    short = shortened(name, NAME)
    return element("bdi", short, **({"title": name} if short != name else {}))
