"""What means the same in every figure: marks that say their numbers, intervals, published values, chance."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.figures.looks import Line, Look
from stillproof.report.measure import Measure
from stillproof.report.published import Published
from stillproof.report.svg.colours import FAINT, INK, PAPER, colour_of
from stillproof.report.svg.element import Attribute, Element, element, path_through
from stillproof.report.svg.shapes import shape
from stillproof.score.stats import Summary

RADIUS = 4.6
CAP = 3.0  # half the width of the end of a whisker
HOLLOW, FILLED = 6.6, 4.4  # radius of a diamond around our own mark, and on a bar
DASHES: dict[Line, str] = {"solid": "", "dashed": "6 4", "dotted": "1.5 3.5", "dash-dotted": "7 3 1.5 3"}


def told(about: str, *parts: Element) -> Element:
    """Return parts that say, where a browser points at them, what they are about."""
    tip = element("title", about)
    if len(parts) == 1 and parts[0].name != "g":
        (only,) = parts
        return Element(only.name, {"class": "sp-mark", **only.attributes}, (tip, *only.content))
    return element("g", tip, *parts, class_="sp-mark")


def value_text(value: Summary, measure: Measure) -> str:
    """Return a mean with its interval and what it is over, as people read it."""
    unit = {"%": " %", "points": " points"}.get(measure.unit, "")
    interval = ""
    if value.ci95 is not None:
        low, high = (100 * end for end in value.ci95)
        interval = f" (95 %: {low:.1f} to {high:.1f})"
    over = value.over.removesuffix("s") if value.n == 1 else value.over
    return f"{100 * value.mean:.1f}{unit}{interval}, n = {value.n} {over}"


def published_text(value: Published) -> str:
    """Return what was published, and where."""
    return f"published: {value.printed} ({value.place}, {value.paper})"


def mark(look: Look, x: float, y: float, *, hollow: bool = False, radius: float = RADIUS) -> Element:
    """Return the mark of a look; a hollow one has the colour of the page inside."""
    colour = colour_of(look)
    rim: dict[str, Attribute] = (
        {"stroke": colour, "stroke_width": 1.4} if hollow else {"stroke": PAPER, "stroke_width": 0.6}
    )
    return shape(look.mark, x, y, radius, fill=PAPER if hollow else colour, **rim)


def spot(x: float, y: float) -> Element:
    """Return an unseen place that can be pointed at, where no mark is drawn."""
    return element("circle", cx=x, cy=y, r=RADIUS, fill="none", pointer_events="all")


def whisker(
    at: float, ends: tuple[float, float], colour: str, cap: float = CAP, *, flat: bool = False
) -> list[Element]:
    """Return an interval with its ends; a rim in the colour of the page keeps it apart from what is below."""
    low, high = ends
    lines = [((at, low), (at, high)), ((at - cap, low), (at + cap, low)), ((at - cap, high), (at + cap, high))]
    turned = [[(y, x) for x, y in line] for line in lines] if flat else lines
    path = "".join(map(path_through, turned))
    return [
        element("path", d=path, stroke=ink, stroke_width=width, fill="none")
        for ink, width in ((PAPER, 3.0), (colour, 1.3))
    ]


def diamond(x: float, y: float, colour: str = INK, *, hollow: bool = True) -> Element:
    """Return the mark of a published value; without a filling, our own mark is seen through it."""
    return shape(
        "diamond",
        *(x, y, HOLLOW if hollow else FILLED),
        fill="none" if hollow else PAPER,
        stroke=colour,
        stroke_width=1.5,
    )


def line_through(
    places: Sequence[tuple[float, float]], colour: str, line: Line = "solid", width: float = 1.8, opacity: float = 1.0
) -> Element:
    """Return a line through places."""
    dash = {"stroke_dasharray": DASHES[line]} if DASHES[line] else {}
    faint = {"stroke_opacity": opacity} if opacity < 1 else {}
    style: dict[str, Attribute] = {"stroke": colour, "stroke_width": width, "fill": "none", "stroke_linejoin": "round"}
    return element("path", d=path_through(places), **style, **dash, **faint)


def area(places: Sequence[tuple[float, float]], colour: str, opacity: float) -> Element:
    """Return a filled area without a rim."""
    return element("path", d=f"{path_through(places)}Z", fill=colour, fill_opacity=opacity)


def chance_line(left: float, right: float, y: float) -> Element:
    """Return the accuracy of guessing as a dotted line."""
    return line_through([(left, y), (right, y)], FAINT, "dotted", 1.4)
