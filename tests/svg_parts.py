"""Reads what a browser would: the parts of a figure, what they say, and where they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

from stillproof.report.figures.audit_sheet import AuditSheet
from stillproof.report.figures.values import FigureData
from stillproof.report.svg.draw import to_svg
from stillproof.report.svg.shapes import REACH
from stillproof.report.svg.text import text_width

Node = ElementTree.Element
NUMBER = r"-?\d+(?:\.\d+)?"
SHAPE = 8.0 * REACH  # no mark reaches further from its place


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: Box) -> bool:
        """Say whether two boxes have more than an edge in common."""
        return (
            min(self.right, other.right) - max(self.left, other.left) > 1
            and min(self.bottom, other.bottom) - max(self.top, other.top) > 2
        )


def parsed(figure: FigureData | AuditSheet, prefix: str = "figure") -> Node:
    return ElementTree.fromstring(to_svg(figure, prefix))


def pictures(root: Node) -> list[Node]:
    """Return the panels."""
    return [node for node in root.iter("svg") if node.get("role") == "img"]


def said(root: Node) -> list[str]:
    """Return what marks say to whoever points at them."""
    return [title_of(node) for node in root.iter() if node.get("class") == "sp-mark"]


def title_of(node: Node) -> str:
    (title,) = node.findall("title")
    return title.text or ""


def marks(root: Node, start: str) -> list[Node]:
    """Return the marks that say something that starts so."""
    return [node for node in root.iter() if node.get("class") == "sp-mark" and title_of(node).startswith(start)]


def mark(root: Node, start: str) -> Node:
    (found,) = marks(root, start)
    return found


def written(root: Node) -> list[str]:
    """Return all texts that are seen."""
    return [(node.text or "") + "".join(part.tail or "" for part in node) for node in root.iter("text")]


def legend(root: Node) -> list[str]:
    return [node.text or "" for node in root.iter("bdi") if node.get("class") is None and _in_legend(root, node)]


def _in_legend(root: Node, node: Node) -> bool:
    return any(node in item for item in root.iter("li"))


def places(node: Node) -> list[tuple[float, float]]:
    """Return the places of a path, or the one of a mark."""
    if node.tag == "circle":
        return [(float(node.attrib["cx"]), float(node.attrib["cy"]))]
    if node.tag == "line":
        return [(float(node.attrib[f"x{end}"]), float(node.attrib[f"y{end}"])) for end in "12"]
    if node.tag in ("rect", "image"):
        x, y, width, height = (float(node.attrib[key]) for key in ("x", "y", "width", "height"))
        return [(x, y), (x + width, y + height)]
    if moved := re.match(rf"translate\(({NUMBER}) ({NUMBER})\)", node.get("transform", "")):
        return [(float(moved[1]), float(moved[2]))]
    return [(float(x), float(y)) for x, y in re.findall(rf"[ML]({NUMBER}) ({NUMBER})", node.attrib["d"])]


def place(node: Node) -> tuple[float, float]:
    """Return the place of a mark: of the last part of a group that is no line."""
    shapes = [part for part in node.iter() if part.tag == "circle" or part.get("transform")]
    return places(shapes[-1])[0]


def whisker(node: Node) -> list[float]:
    """Return the lower and the upper end of the interval of a mark."""
    path = next(part for part in node.iter("path") if part.get("stroke-width") == "1.3")
    (_, low), (_, high), *_ = places(path)
    return [low, high]


def boxes(picture: Node) -> Iterator[tuple[str, Box]]:
    """Yield what is drawn with the box around it: texts first of all."""
    for node in picture.iter():
        if node.tag == "text":
            yield _text_box(node)
        elif node.tag in ("path", "circle", "rect", "line", "image"):
            found = places(node)
            around = float(node.get("r", 0)) if node.tag == "circle" else 0.0
            around = SHAPE if node.get("transform") else around
            xs, ys = zip(*found, strict=True)
            yield "", Box(min(xs) - around, min(ys) - around, max(xs) + around, max(ys) + around)


def _text_box(node: Node) -> tuple[str, Box]:
    text = (node.text or "") + "".join(part.tail or "" for part in node)
    x, y, size = (float(node.attrib[key]) for key in ("x", "y", "font-size"))
    width, tall = text_width(text, size), 0.78 * size
    if turned := re.match(rf"translate\(({NUMBER}) ({NUMBER})\) rotate\(-90\)", node.get("transform", "")):
        x, y = float(turned[1]), float(turned[2])
        return text, Box(x - tall, y - width, x, y)
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[node.attrib["text-anchor"]]
    return text, Box(left, y - tall, left + width, y + 0.2 * size)


def outside(root: Node) -> list[tuple[str, Box]]:
    """Return whatever is not within its picture."""
    found = []
    for picture in pictures(root):
        _, _, width, height = map(float, picture.attrib["viewBox"].split())
        for text, box in boxes(picture):
            if box.left < -0.01 or box.top < -0.01 or box.right > width + 0.01 or box.bottom > height + 0.01:
                found.append((text, box))
    return found


def overlaps(root: Node) -> list[tuple[str, str]]:
    """Return all pairs of texts that cover each other."""
    return [
        (one, other)
        for picture in pictures(root)
        for (one, box), (other, second) in combinations([item for item in boxes(picture) if item[0].strip()], 2)
        if box.covers(second)
    ]


def assert_fit_inline(figures: Mapping[str, object]) -> None:
    """Assert that all figures of a run can be put into a page, with nothing cut off and no text on another."""
    for name, figure in figures.items():
        assert isinstance(figure, FigureData), name
        root = parsed(figure)
        assert said(root) and outside(root) == [] and overlaps(root) == [], name


def across(picture: Node, text: str) -> float:
    """Return how far down the line of a number of the vertical axis is."""
    (node,) = (node for node in picture.iter("text") if node.text == text and node.get("text-anchor") == "end")
    return float(node.attrib["y"]) - 0.36 * float(node.attrib["font-size"])
