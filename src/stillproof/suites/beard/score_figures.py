"""The figures of the scores: RR over the size of sets, CREI over its weight, and accuracy against robustness."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from stillproof.report.captions import Basis
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.score_grid import Floats, score_grid
from stillproof.report.figures.values import Curve, CurvePanel, Curves, FigureData, Level, Plane, Point, Spot
from stillproof.report.measure import Measure, score
from stillproof.report.rows import Rows
from stillproof.suites.beard.method_scores import ALPHAS, Assessed, assessed
from stillproof.suites.beard.robust_numbers import attacked_basis

OVER_SIZE = "Robustness ratio over images per class"
OVER_WEIGHT = "CREI over its weight"
TRADE_OFF = "Accuracy against robustness"
WORST_CASE = "worst-case-accuracy"
CLEAN = Measure("clean accuracy", "%", 0.0, 1.0)
WORST = Measure("accuracy in the worst case of all attacks", "%", 0.0, 1.0)


def score_figures(rows: Rows) -> dict[str, FigureData]:
    """Return all three for each data set and network."""
    groups = _by_figure(assessed(rows["scores"]))
    sizes, alphas, trade_off = partial(_size_curves, rows), partial(_alpha_curves, rows), partial(_trade_off, rows)
    return {
        **figures_of("sizes", groups, lambda found: any(one.score("rr") for one in _of_one_size(found)), sizes),
        **figures_of("alpha", groups, lambda found: any(one.crei() for one in found), alphas),
        **figures_of("trade-off", groups, lambda found: any(one.score(WORST_CASE) for one in found), trade_off),
    }


def _size_curves(rows: Rows, found: Sequence[Assessed]) -> Curves:
    """Return one panel per mode: a curve per method, and a line across for its sizes pooled, or for all real images."""
    panels = []
    for mode in dict.fromkeys(one.row["mode"] for one in found):
        here = [one for one in found if one.row["mode"] == mode]
        methods: dict[str, list[Assessed]] = {}
        for one in _of_one_size(here):
            methods.setdefault(str(one.row["method"]), []).append(one)
        curves = [
            Curve(method, [Point(one.row["ipc"], one.score("rr")) for one in sizes])
            for method, sizes in methods.items()
        ]
        panels.append(CurvePanel(curves, [level for one in here if (level := _level(one))], str(mode)))
    return Curves(OVER_SIZE, "images per class", panels, _basis(found, rows), measure=score("RR"))


def _of_one_size(found: Sequence[Assessed]) -> list[Assessed]:
    """Return the models of sets of one size, which curves are made of."""
    return [one for one in found if one.row["ipc"] is not None and len(one.parts) == 1]


def _level(one: Assessed) -> Level | None:
    value, method = one.score("rr"), str(one.row["method"])
    if value is None or (len(one.parts) == 1 and one.row["ipc"] is not None):
        return None
    label = f"{method}, {one.sizes}" if len(one.parts) > 1 else f"{method}, all images"
    return Level(method, label, value)


def _alpha_curves(rows: Rows, found: Sequence[Assessed]) -> Curves:
    """Return one panel per mode, of all sizes pooled; one per size, too, where there is nothing to pool."""
    if any(len(one.parts) > 1 for one in found):
        found = [one for one in found if len(one.parts) > 1 or one.row["ipc"] is None]
    panels = [
        CurvePanel([_alpha_curve(one) for one in group], title=title) for title, group in _by_panel(found).items()
    ]
    return Curves(OVER_WEIGHT, "weight of RR", panels, _basis(found, rows), measure=score("CREI"), linear=True)


def _alpha_curve(one: Assessed) -> Curve:
    return Curve(str(one.row["method"]), [Point(alpha, one.crei(alpha)) for alpha in ALPHAS])


def _trade_off(rows: Rows, found: Sequence[Assessed]) -> Plane:
    """Return one panel per size and mode, with lines of the same share of right images that stay right."""
    single = [one for one in found if len(one.parts) == 1]
    spots = [
        Spot(str(one.row["method"]), one.score("clean-accuracy"), one.score(WORST_CASE), panel=title)
        for title, group in _by_panel(single).items()
        for one in group
    ]
    kept = score_grid(spots, CLEAN, WORST, _kept)
    return Plane(TRADE_OFF, spots, _basis(single, rows), CLEAN, WORST, "share kept", kept, "upper right")


def _kept(clean: Floats, robust: Floats) -> Floats:
    """Return the share of right images that stay right; more than all of them cannot."""
    kept: Floats = np.minimum(np.divide(robust, clean, out=np.ones_like(robust), where=clean > 0), 1.0)
    return kept


def _by_figure(found: Iterable[Assessed]) -> dict[tuple[Any, ...], list[Assessed]]:
    """Return what stands in one figure: all of a data set and network."""
    groups: dict[tuple[Any, ...], list[Assessed]] = {}
    for one in found:
        groups.setdefault((one.row["dataset"], one.row["network"]), []).append(one)
    return groups


def _by_panel(found: Sequence[Assessed]) -> dict[str, list[Assessed]]:
    """Return what stands in one panel: all of the same size and mode; models of all real images stand in each."""
    panels: dict[str, list[Assessed]] = {}
    for one in found:
        if one.row["ipc"] is not None:
            panels.setdefault(f"{one.row['mode']}, ipc {one.sizes}", []).append(one)
    for one in found:
        if one.row["ipc"] is None:
            for title, group in panels.items():
                if title.startswith(f"{one.row['mode']},"):
                    group.append(one)
    return panels


def _basis(found: Sequence[Assessed], rows: Rows) -> Basis:
    """Return what holds for all models, with the alarms on them that are among all rows."""
    return attacked_basis([row for one in found for row in one.rows()], rows)
