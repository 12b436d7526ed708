"""Every kind of figure as a frozen value: what is shown where, with its interval, label and unit.

A figure is made from rows without a drawing library. Renderers (``report.drawing`` for matplotlib) turn it into a
picture; ``report.figures.captions`` has the sentences below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from stillproof.report.captions import Basis
from stillproof.report.figures.looks import Line, Look
from stillproof.report.figures.radar import Radar
from stillproof.report.measure import ACCURACY, Measure
from stillproof.report.published import Published, PublishedSearch
from stillproof.score.agreement import Agreement
from stillproof.score.stats import Summary

Places = Sequence[tuple[float, float]]
IN_SEARCH, IN_TRUTH, ROBUST = (
    Measure(name, "%", 0.0, 1.0) for name in ("accuracy in the search", "true accuracy", "robust accuracy")
)
WHISKERS = 12  # most places of a curve that have whiskers
MARGIN = 0.08  # around points in the plane, so that marks at the edge are whole


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: the method gives its colour, the group its place; ``panel`` is the title of its panel."""

    group: str
    method: str
    value: Summary | None
    published: Published | None = None
    panel: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Grouped bars: panels, groups and methods come in the order in which they are first named."""

    title: str
    bars: Sequence[Bar]
    basis: Basis
    group_name: str
    chance: float | None = None
    measure: Measure = ACCURACY


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve; a published value may stand where we have none of our own."""

    x: float
    value: Summary | None
    published: Published | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one method (or initialisation), whose name gives the look.

    ``dashed`` says how its line is drawn, with hollow marks; where it says nothing, that is as its look has it.
    """

    method: str
    points: Sequence[Point]
    dashed: bool | None = None

    def line(self, look: Look) -> Line:
        """Return how its line is drawn."""
        if self.dashed is None:
            return look.line
        return "dashed" if self.dashed else "solid"


@dataclass(frozen=True, slots=True)
class Level:
    """A line across the panel, such as the ceiling of ``full`` data; its method gives the colour."""

    method: str
    label: str
    value: Summary
    published: Published | None = None
    style: Line = "dash-dotted"


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """Curves and levels that share their axes."""

    curves: Sequence[Curve]
    levels: Sequence[Level] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves with intervals and levels, their panels side by side.

    Args:
        title: Title.
        x_name: Name of the horizontal axis.
        panels: The panels.
        basis: What holds for all numbers.
        chance: The accuracy of guessing, a line across.
        measure: What the vertical axis shows.
        linear: The horizontal axis is not logarithmic.
        lines: What solid and what dashed lines are, where every method has both.
    """

    title: str
    x_name: str
    panels: Sequence[CurvePanel]
    basis: Basis
    chance: float | None = None
    measure: Measure = ACCURACY
    linear: bool = False
    lines: tuple[str, str] | None = None

    @property
    def banded(self) -> bool:
        """Say whether intervals are bands, because there are too many points to tell whiskers apart."""
        return len({point.x for panel in self.panels for curve in panel.curves for point in curve.points}) > WHISKERS

    def marks(self) -> Iterator[Point | Level]:
        """Return all that has a value."""
        for panel in self.panels:
            yield from (point for curve in panel.curves for point in curve.points)
            yield from panel.levels

    def methods(self) -> Iterator[str]:
        """Return whatever needs a look."""
        yield from (curve.method for panel in self.panels for curve in panel.curves)
        yield from (level.method for panel in self.panels for level in panel.levels)


@dataclass(frozen=True, slots=True)
class Cloud:
    """The synthetic points of one method, and the share of real points that they cover."""

    method: str
    points: Places
    coverage: float


@dataclass(frozen=True, slots=True)
class Embedding:
    """Real and synthetic features of one class in the plane.

    Args:
        title: Title.
        real: Places of the real points, the same in every panel.
        clouds: One panel each.
        how: Sentence on where the features and the places come from.
        covered: Sentence on when a real point counts as covered.
    """

    title: str
    real: Places
    clouds: Sequence[Cloud]
    how: str
    covered: str

    def shown(self) -> list[Cloud]:
        """Return the clouds that have points."""
        return [cloud for cloud in self.clouds if len(cloud.points)]

    def square(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ends of both axes of every panel: a square that has room for all points."""
        xs, ys = zip(*self.real, *(place for cloud in self.clouds for place in cloud.points), strict=True)
        half = (0.5 + MARGIN) * (max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0)
        x, y = ((min(along) + max(along)) / 2 for along in (xs, ys))
        return (x - half, x + half), (y - half, y + half)


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One cell of a heat map."""

    row: str
    column: str
    value: Summary | None
    published: Published | None = None


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A map: rows and columns come in the order in which they are first named.

    ``home`` is a column to be framed, and ``framed`` says what it is.
    """

    title: str
    cells: Sequence[HeatCell]
    basis: Basis
    row_name: str
    column_name: str
    home: str | None = None
    framed: str = "where the sets were distilled"
    measure: Measure = ACCURACY


@dataclass(frozen=True, slots=True)
class Spot:
    """A method's place; ``published`` is where it was published to be, ``panel`` the title of its panel."""

    method: str
    x: Summary | None
    y: Summary | None
    published: tuple[Published, Published] | None = None
    panel: str = ""


@dataclass(frozen=True, slots=True)
class ScoreGrid:
    """A score over all that the axes of a plane show, which ``score_grid`` makes.

    Args:
        x: Places along the horizontal axis, fractions, from one end to the other.
        y: Places along the vertical axis.
        scores: The score at each of them, a fraction: one row of values per place of ``y``.
    """

    x: Sequence[float]
    y: Sequence[float]
    scores: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Plane:
    """Two numbers of each method on lines of equal score; panels come in the order in which they are first named.

    Args:
        title: Title.
        spots: The methods.
        basis: What holds for all numbers.
        x: What the horizontal axis shows.
        y: What the vertical axis shows.
        score_name: What the lines are of.
        score: The score of both, wherever they may lie.
        better: The corner towards which it grows.
    """

    title: str
    spots: Sequence[Spot]
    basis: Basis
    x: Measure
    y: Measure
    score_name: str
    score: ScoreGrid
    better: Literal["upper left", "upper right"]

    def shown(self) -> list[Spot]:
        """Return the methods that have both numbers."""
        return [spot for spot in self.spots if spot.x is not None and spot.y is not None]


@dataclass(frozen=True, slots=True)
class Search:
    """One search: accuracies (fractions) that it saw and true ones, in the same order, and how far they agree."""

    method: str
    proxy: Sequence[float]
    truth: Sequence[float]
    agreement: Agreement
    published: PublishedSearch | None = None


@dataclass(frozen=True, slots=True)
class Scatter:
    """Searches, one panel each; ``interval`` says how the intervals were computed."""

    title: str
    searches: Sequence[Search]
    basis: Basis
    interval: str = "bootstrap over architectures"
    x: Measure = IN_SEARCH
    y: Measure = IN_TRUTH

    def shown(self) -> list[Search]:
        """Return the searches that looked at architectures."""
        return [search for search in self.searches if len(search.proxy)]


@dataclass(frozen=True, slots=True)
class Stack:
    """One bar: what it starts with, what each step adds (less than zero if it takes away), and what that comes to."""

    group: str
    parts: Sequence[Summary | None]
    total: Summary | None
    panel: str = ""

    def known(self) -> list[float]:
        """Return the parts, if all of them are known: else there is nothing to stack."""
        known = [part.mean for part in self.parts if part is not None]
        return known if len(known) == len(self.parts) else []


@dataclass(frozen=True, slots=True)
class StackedBars:
    """Bars in steps; ``names`` are those of the parts, from the first; panels lie below each other."""

    title: str
    names: Sequence[str]
    stacks: Sequence[Stack]
    basis: Basis
    group_name: str
    chance: float | None = None
    measure: Measure = ACCURACY


@dataclass(frozen=True, slots=True)
class StepLine:
    """What an attack leaves within each radius; ``ci95`` has the interval at each of them, where it is shown."""

    attack: str
    robust: Sequence[float]
    ci95: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True, slots=True)
class StepPanel:
    """The attacks on one model, over the same radii; ``best`` is the best that is known of all of them."""

    title: str
    radii: Sequence[float]
    best: StepLine
    lines: Sequence[StepLine]


@dataclass(frozen=True, slots=True)
class StepCurves:
    """Robust accuracy over the size of the change, in steps from image to image; ``note`` stands below it."""

    title: str
    x_name: str
    panels: Sequence[StepPanel]
    note: str
    measure: Measure = ROBUST


FigureData: TypeAlias = Bars | Curves | Embedding | HeatMap | Plane | Radar | Scatter | StackedBars | StepCurves
