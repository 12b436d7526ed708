"""A small figure of every kind, with any name for its first method."""

from __future__ import annotations

import numpy as np

from stillproof.report.captions import Basis
from stillproof.report.figures.audit_sheet import AuditSheet, Distances, Looked
from stillproof.report.figures.radar import Radar, RadarPanel, Ray
from stillproof.report.figures.score_grid import score_grid
from stillproof.report.figures.values import (
    Bar,
    Bars,
    Cloud,
    Curve,
    CurvePanel,
    Curves,
    Embedding,
    FigureData,
    HeatCell,
    HeatMap,
    Level,
    Plane,
    Point,
    Scatter,
    Search,
    Spot,
    Stack,
    StackedBars,
    StepCurves,
    StepLine,
    StepPanel,
)
from stillproof.report.measure import difference
from stillproof.report.published import Published, PublishedSearch
from stillproof.score.agreement import Agreement, Estimate
from stillproof.score.dd_ranking import label_robust_score
from stillproof.score.stats import Summary

BASIS = Basis("fair", "last", "digits; convnet-3")
THERE = Published(0.45, "Table 2", "A paper")
HLR, IOR = difference("HLR"), difference("IOR")
AGREED = Agreement(Estimate(0.8, (0.4, 0.9)), Estimate(None, None, "all the same"), 3)
REAL = [(0.0, 0.0), (1.0, 1.0), (2.0, 0.5)]
RADII = [0.0, 0.01, 0.02, 0.04]


def summary(mean: float, half: float | None = 0.05, n: int = 3) -> Summary:
    return Summary(mean, None, 1, None) if half is None else Summary(mean, half / 2, n, (mean - half, mean + half))


def bars(name: str = "dm") -> Bars:
    there = [
        Bar("none", name, summary(0.4), THERE),
        Bar("none", "random", summary(0.3, None)),
        Bar("dsa", name, summary(0.5)),
        Bar("dsa", "random", None),
    ]
    return Bars("Accuracy under augmentation", there, BASIS, "augmentation", chance=0.1)


def curves(name: str = "dm", *, linear: bool = False) -> Curves:
    own = Curve(name, [Point(1, summary(0.3)), Point(10, summary(0.5), THERE), Point(50, None, THERE)])
    other = Curve("random", [Point(1, summary(0.2)), Point(10, summary(0.4)), Point(50, summary(0.5, None))], True)
    panel = CurvePanel([own, other], [Level("full", "full data", summary(0.8, 0.02), THERE)], "convnet-3")
    return Curves("Accuracy over images", "images per class", [panel, panel], BASIS, 0.1, linear=linear)


def banded(name: str = "dm") -> Curves:
    points = [Point(x / 100, summary(0.9 - x / 50)) for x in range(40)]
    return Curves("Accuracy over eps", "eps", [CurvePanel([Curve(name, points)])], BASIS, linear=True)


def embedding(name: str = "dm") -> Embedding:
    clouds = [Cloud(name, [(0.5, 0.5), (2.0, 0.0)], 2 / 3), Cloud("random", [(1.0, 0.5)], 1 / 3)]
    return Embedding("What is covered", REAL, clouds, "Features of a network.", "Covered: near enough.")


def heat_map(name: str = "dm") -> HeatMap:
    cells = [
        HeatCell(name, "convnet-3", summary(0.6), THERE),
        HeatCell(name, "mlp", summary(0.2)),
        HeatCell("random", "convnet-3", summary(0.4)),
    ]
    return HeatMap("Other networks", cells, BASIS, "method", "network", home="convnet-3")


def plane(name: str = "dm") -> Plane:
    spots = [
        Spot(name, summary(0.3), summary(0.1, 0.02), (THERE, THERE), "10 images"),
        Spot("random", summary(0.5, None), summary(-0.05), panel="10 images"),
        Spot("rded", None, summary(-0.05), panel="10 images"),
    ]
    grid = score_grid(spots, HLR, IOR, label_robust_score)
    return Plane("Images or labels?", spots, BASIS, HLR, IOR, "LRS", grid, better="upper left")


def radar(name: str = "dm") -> Radar:
    rays = [Ray("accuracy", 1, 1, 2, 4), Ray("unseen networks", 4, 2, 4, 4), Ray("LRS", 2, 1, 4, 4)]
    panels = [RadarPanel(name, [*rays, Ray("search", None, None, None, 4)]), RadarPanel("random", rays)]
    return Radar("Every side", panels, BASIS)


def scatter(name: str = "dm") -> Scatter:
    published = PublishedSearch(0.7, 0.9, "Table 3", "A paper")
    searches = [Search(name, [0.2, 0.5, 0.4], [0.7, 0.8, 0.9], AGREED, published), Search("lost", [], [], AGREED)]
    return Scatter("Architecture search", searches, BASIS)


def stacked_bars(name: str = "dm") -> StackedBars:
    stacks = [
        Stack(name, [summary(0.4), summary(0.2), summary(-0.1)], summary(0.5)),
        Stack("random", [summary(0.4), None, summary(0.1)], None),
        Stack("rded", [summary(0.3), summary(0.1), summary(0.1)], summary(0.5, None)),
    ]
    names = ("random images", "its images", "its labels")
    return StackedBars("What makes it up", names, stacks, BASIS, "method", chance=0.1)


def step_curves(name: str = "dm") -> StepCurves:
    best = StepLine("best of all", [0.8, 0.5, 0.2, 0.0], [(0.7, 0.9), (0.4, 0.6), (0.1, 0.3), (0.0, 0.1)])
    lines = [StepLine("pgd", [0.8, 0.6, 0.3, 0.1]), StepLine(name, [0.8, 0.7, 0.5, 0.2])]
    return StepCurves("What attacks leave", "eps", [StepPanel("a model", RADII, best, lines)], "As measured.")


def audit_sheet(name: str = "dm") -> AuditSheet:
    picture = np.arange(48, dtype=np.uint8).reshape(3, 4, 4)
    looked = [Looked(str(one), name, [picture, picture[:1], picture], (12.3, 4.5), copied=one == 1) for one in range(7)]
    distances = Distances("in pixels", [0.5, 0.5, 1.5, 2.0], [1.0, 2.0, 3.0, 3.0], 1.0)
    return AuditSheet("Audit of a set", looked, [distances], "Red: copies of test images.")


def every_kind(name: str = "dm") -> dict[str, FigureData | AuditSheet]:
    makers = (bars, curves, banded, embedding, heat_map, plane, radar, scatter, stacked_bars, step_curves, audit_sheet)
    return {maker.__name__: maker(name) for maker in makers}


def nothing() -> list[FigureData | AuditSheet]:
    """Return a figure of every kind of which nothing is known."""
    return [
        Bars("Nothing", [Bar("none", "dm", None)], BASIS, "augmentation"),
        Curves("Nothing", "x", [CurvePanel([Curve("dm", [Point(1, None)])])], BASIS),
        Embedding("Nothing", [], [Cloud("dm", [(0.0, 0.0)], 0.0)], "how", "covered"),
        HeatMap("Nothing", [HeatCell("dm", "mlp", None)], BASIS, "method", "network"),
        Plane("Nothing", [Spot("dm", None, None)], BASIS, HLR, IOR, "LRS", plane().score, "upper left"),
        Radar("Nothing", [RadarPanel("dm", [Ray("accuracy", None, None, None, 0)])], BASIS),
        Scatter("Nothing", [Search("dm", [], [], AGREED)], BASIS),
        StackedBars("Nothing", ["a"], [Stack("dm", [None], None)], BASIS, "method"),
        StepCurves("Nothing", "eps", [], ""),
        AuditSheet("Nothing", [], [], ""),
    ]
