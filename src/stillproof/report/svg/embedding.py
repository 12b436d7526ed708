"""Real and synthetic features of one class in the plane, with the share of the real ones that is covered."""

from __future__ import annotations

from stillproof.report.figures.looks import REAL_DOTS, Look, looks_of
from stillproof.report.figures.values import Cloud, Embedding, Places
from stillproof.report.svg.colours import FAINT, INK, colour_of
from stillproof.report.svg.element import Element, element, number
from stillproof.report.svg.legend import MIDDLE, marked
from stillproof.report.svg.marks import told
from stillproof.report.svg.panel import WIDTH, Drawn, Entry, Panel
from stillproof.report.svg.scales import Scale
from stillproof.report.svg.shapes import shape

DOT, LARGE = 3.2, 6.0
EDGE = 1.0


def draw_embedding(data: Embedding) -> Drawn | None:
    """Draw real points as small grey dots, synthetic ones as large marks."""
    clouds = data.shown()
    if not clouds or not len(data.real):
        return None
    looks = looks_of(cloud.method for cloud in clouds)
    along, up = data.square()
    scales = Scale(*along, EDGE, WIDTH - EDGE), Scale(*up, WIDTH - EDGE, EDGE)
    entries = [Entry("real images", [_dots([MIDDLE])]), *(marked(name, look, None) for name, look in looks.items())]
    return Drawn([_panel(data, cloud, looks[cloud.method], *scales) for cloud in clouds], entries)


def _panel(data: Embedding, cloud: Cloud, look: Look, along: Scale, up: Scale) -> Panel:
    side = WIDTH - 2 * EDGE
    frame = element("rect", x=EDGE, y=EDGE, width=side, height=side, fill="none", stroke=FAINT, stroke_width=1)
    real = _dots([(along.at(x), up.at(y)) for x, y in data.real])
    colour = colour_of(look)
    marks = [
        told(
            f"{cloud.method}: synthetic image {place}",
            shape(look.mark, along.at(x), up.at(y), LARGE, fill=colour, stroke=INK, stroke_width=0.8),
        )
        for place, (x, y) in enumerate(cloud.points, 1)
    ]
    return Panel([frame, real, *marks], WIDTH, f"{cloud.method}: {100 * cloud.coverage:.0f} % covered")


def _dots(places: Places) -> Element:
    """Return dots as one path of points that have a round end."""
    path = "".join(f"M{number(round(x, 1))} {number(round(y, 1))}h0" for x, y in places)
    return element("path", d=path, stroke=REAL_DOTS, stroke_width=DOT, stroke_linecap="round", fill="none")
