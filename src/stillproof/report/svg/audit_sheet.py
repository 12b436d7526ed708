"""The picture of an audit: suspicious images above the nearest real ones, and distances."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stillproof.report.figures.audit_sheet import BINS, AuditSheet, Distances, Looked
from stillproof.report.figures.looks import LOOKS, REAL_DOTS
from stillproof.report.measure import Measure
from stillproof.report.svg.colours import INK, WARNING, colour_of
from stillproof.report.svg.element import Element, element
from stillproof.report.svg.legend import filled, lined
from stillproof.report.svg.marks import area, line_through, told
from stillproof.report.svg.panel import (
    BOTTOM,
    LEFT,
    NUMBERED,
    RIGHT,
    TOP,
    WIDTH,
    Drawn,
    Panel,
    height_below,
    number_axis,
    upright_axis,
)
from stillproof.report.svg.scales import Scale, percent_scale, round_numbers
from stillproof.report.svg.text import LINE, SMALL, label, labels, name_lines, shortened

ROWS = ("set", "nearest training", "nearest test")
NAMES = 64.0  # room for the names of the lines
IN_A_LINE = 5  # images
SIDE = (WIDTH - NAMES) / IN_A_LINE
ABOVE = 16.0  # room for what stands above an image
SHARE = Measure("share of images", "%", 0.0, 1.0)
ROUND = 6  # most numbers below a histogram


def draw_audit_sheet(data: AuditSheet) -> Drawn | None:
    """Draw the images, each above its nearest training and test image, then the distances of all."""
    if not data.looked:
        return None
    lines = [data.looked[start : start + IN_A_LINE] for start in range(0, len(data.looked), IN_A_LINE)]
    entries = [
        filled("real training images", REAL_DOTS),
        lined("the set's images", colour_of(LOOKS["dm"]), "solid"),
        lined("nearer: 5 % of real training images", WARNING, "dashed"),
    ]
    return Drawn([*map(_images, lines), *map(_histogram, data.distances)], entries if data.distances else ())


def _images(line: Sequence[Looked]) -> Panel:
    parts: list[Element] = []
    for row, name in enumerate(ROWS):
        lines = name_lines(name, NAMES - 4, SMALL)
        first = row * (SIDE + ABOVE) + ABOVE + (SIDE - LINE * SMALL * (len(lines) - 2)) / 2 - 0.6 * SMALL
        parts += labels(lines, 0, first, "start", SMALL)
    for column, one in enumerate(line):
        above = (f"{one.name}: {one.label}", *(f"{near:.1f}" for near in one.near))
        for row, (picture, text) in enumerate(zip(one.pictures, above, strict=True)):
            x, y = NAMES + column * SIDE, row * (SIDE + ABOVE) + ABOVE
            colour = WARNING if one.copied and row != 1 else INK
            short = shortened(text, SIDE - 2, SMALL)
            parts.append(label(short, x + SIDE / 2, y - 4, "middle", SMALL, text, fill=colour))
            said = (
                f"{ROWS[row]} image {text}" if row == 0 else f"{ROWS[row]} image: {text} of 255 from image {one.name}"
            )
            parts.append(told(said, _picture(picture, x + 1, y)))
    return Panel(parts, 3 * (SIDE + ABOVE))


def _picture(picture: NDArray[np.uint8], x: float, y: float) -> Element:
    """Return a picture with its pixels as they are."""
    shown = np.broadcast_to(picture, (3, *picture.shape[1:])).transpose(1, 2, 0)
    content = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(shown)).save(content, "PNG")
    link = f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"
    return element("image", href=link, x=x, y=y, width=SIDE - 2, height=SIDE - 2, image_rendering="pixelated")


def _histogram(data: Distances) -> Panel:
    end = data.end()
    along, real, own = Scale(0.0, end, LEFT, RIGHT), data.shares(data.real), data.shares(data.own)
    up = percent_scale([*real, *own], SHARE, BOTTOM, TOP, zero=True)
    name = f"distance to the nearest test image, {data.title}"
    parts = upright_axis(up, SHARE)
    parts += number_axis(along, [(value, f"{value:g}") for value in round_numbers(0.0, end, ROUND)], name)
    edges = [along.at(end * place / BINS) for place in range(BINS + 1)]
    parts.append(area(_outline(real, edges, up), REAL_DOTS, 0.5))
    parts.append(line_through(_outline(own, edges, up), colour_of(LOOKS["dm"])))
    limit = line_through([(along.at(data.limit), TOP), (along.at(data.limit), BOTTOM)], WARNING, "dashed", 1.2)
    parts.append(told(f"5 % of real training images are nearer than {data.limit:.3g}", limit))
    return Panel(parts, height_below(NUMBERED, name))


def _outline(shares: Sequence[float], edges: Sequence[float], up: Scale) -> list[tuple[float, float]]:
    steps = zip(shares, pairwise(edges), strict=True)
    corners = [(x, up.at(share)) for share, ends in steps for x in ends]
    return [(edges[0], up.at(0)), *corners, (edges[-1], up.at(0))]
