"""Accuracy over the strength of the noise with soft and with hard labels, and what soft labels add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from stillproof.report.chance import chance_of
from stillproof.report.dd_ranking.controlled import HARD, NOISE, SOFT, Controlled
from stillproof.report.dd_ranking.drawing import basis_for, mean_of
from stillproof.report.figures.curve_panel import Curve, CurvePanel, Level, Point
from stillproof.report.figures.curves import Curves, draw_curves
from stillproof.report.measure import difference
from stillproof.report.rows import images
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

X_NAME = "standard deviation of the added noise"
STYLES: dict[str, Literal["-", "--"]] = {SOFT: "-", HARD: "--"}

Of = Callable[[Controlled], Summary | None]


def draw_accuracies(found: Sequence[Controlled]) -> Figure:
    """Draw two lines per method: solid with soft labels, dashed with hard ones."""
    panels = [
        CurvePanel(
            [curve for labels in STYLES for curve in _curves(group, _accuracy(labels), dashed=labels == HARD)],
            [level for labels in STYLES for level in _levels(group, _accuracy(labels), f", {labels}", STYLES[labels])],
            images(ipc),
        )
        for ipc, group in _by_size(found).items()
    ]
    rows = [row for one in found for row in one.rows()]
    chance, lines = chance_of(str(rows[0]["dataset"])), ("soft labels", "hard labels")
    title = "Do soft labels lift any images?"
    return draw_curves(Curves(title, X_NAME, panels, basis_for(rows), chance, linear=True, lines=lines))


def draw_gains(found: Sequence[Controlled]) -> Figure:
    """Draw what soft labels add to each method."""
    panels = [
        CurvePanel(list(_curves(group, _gain, dashed=False)), list(_levels(group, _gain, "", "-")), images(ipc))
        for ipc, group in _by_size(found).items()
    ]
    basis = basis_for([row for one in found for row in one.rows()])
    measure = difference("accuracy with soft labels over hard ones")
    return draw_curves(Curves("What soft labels add", X_NAME, panels, basis, measure=measure, linear=True))


def _curves(found: Sequence[Controlled], of: Of, *, dashed: bool) -> Iterator[Curve]:
    for method in dict.fromkeys(str(one.row["method"]) for one in found):
        if not _is_level(method, found):
            points = [Point(one.strength, of(one)) for one in found if one.row["method"] == method]
            yield Curve(method, points, dashed)


def _levels(found: Sequence[Controlled], of: Of, labels: str, style: Literal["-", "--"]) -> Iterator[Level]:
    for one in found:
        value = of(one)
        if value is not None and _is_level(str(one.row["method"]), found):
            yield Level(NOISE, f"pure noise{labels}", value, style=style)


def _is_level(method: str, found: Sequence[Controlled]) -> bool:
    """Say whether a method is a line across: pure noise is not changed by more of it."""
    asked = {str(one.row["method"]): one.strength for one in found}
    return method == NOISE and len(asked) > 1


def _by_size(found: Sequence[Controlled]) -> dict[int | None, list[Controlled]]:
    return {
        ipc: [one for one in found if one.row["ipc"] == ipc] for ipc in dict.fromkeys(one.row["ipc"] for one in found)
    }


def _accuracy(labels: str) -> Of:
    return lambda one: one.accuracy(labels)


def _gain(one: Controlled) -> Summary | None:
    return mean_of(one.gain())
