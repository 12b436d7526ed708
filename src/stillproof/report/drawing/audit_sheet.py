"""Draws the picture of an audit: one column per image, and histograms of distances below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stillproof.report.drawing.style import house_style
from stillproof.report.drawing.text_size import wrapped
from stillproof.report.figures.audit_sheet import BINS, AuditSheet, Distances, Looked
from stillproof.report.figures.looks import FAINT, INK, LOOKS, REAL_DOTS
from stillproof.report.figures.pages import SCREEN, Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROWS = ("set", "nearest\ntraining", "nearest\ntest")
WARNING, OWN = "#c22f2f", LOOKS["dm"].colour
LEAST = 4  # columns whose room is taken at least, so that few images are not huge
TALL = 2.4  # inches of the histograms


def draw_audit_sheet(data: AuditSheet, page: Page = SCREEN) -> Figure:
    """Draw the images, each above its nearest training and test image, then the distances of all."""
    from matplotlib.figure import Figure

    with house_style(page):
        columns = max(LEAST, len(data.looked))
        side = (page.width - 6 * page.em) / columns
        images = 3 * (side + 1.6 * page.em) + 1.5 * page.em
        told = wrapped(data.note, page.width - 2 * page.em, page.small)
        below = (told.count("\n") + 2) * 1.35 * page.small / 72
        heights = (images, TALL, below)
        figure = Figure(figsize=(page.width, sum(heights)), layout="constrained")
        parts: Any = figure.subfigures(3, 1, height_ratios=heights)
        upper, lower, foot = parts
        upper.suptitle(data.title, weight="bold", x=0.01, ha="left")
        grid = upper.subplots(3, columns, squeeze=False)
        for axes in grid.flat:
            axes.set_axis_off()
        for column, one in zip(grid.T, data.looked, strict=False):
            _column(column, one, page)
        for axes, name in zip(grid[:, 0], ROWS, strict=True):
            axes.text(-0.12, 0.5, name, transform=axes.transAxes, ha="right", va="center")
        panels = lower.subplots(1, len(data.distances), squeeze=False)[0]
        for axes, one_kind in zip(panels, data.distances, strict=True):
            _histogram(axes, one_kind)
        handles, names = panels[0].get_legend_handles_labels()
        lower.legend(handles, names, loc="outside upper center", ncols=len(names))
        foot.text(0.01, 0.9, told, fontsize=page.small, color=FAINT, va="top")
        return figure


def _column(column: NDArray[np.object_], one: Looked, page: Page) -> None:
    above = (f"{one.name}: {one.label}", *(f"{near:.1f}" for near in one.near))
    for place, (axes, picture, text) in enumerate(zip(column, one.pictures, above, strict=True)):
        shown = np.broadcast_to(picture, (3, *picture.shape[1:])).transpose(1, 2, 0)
        axes.imshow(shown, interpolation="nearest")
        colour = WARNING if one.copied and place != 1 else INK
        axes.set_title(text, fontsize=page.small, color=colour, pad=2)


def _histogram(axes: Axes, data: Distances) -> None:
    top = data.end()
    edges = np.linspace(0, top, BINS + 1)
    for values, colour, label in ((data.real, REAL_DOTS, "real training images"), (data.own, OWN, "the set's images")):
        shares = np.full(len(values), 100 / len(values))
        filled = colour == REAL_DOTS
        axes.hist(
            np.clip(values, 0, top),
            bins=edges.tolist(),
            weights=shares,
            color=colour,
            label=label,
            histtype="stepfilled" if filled else "step",
            alpha=0.5 if filled else 1,
            linewidth=1.6,
        )
    axes.axvline(data.limit, color=WARNING, linewidth=1.0, linestyle="--")
    axes.set_xlabel(f"distance to the nearest test image,\n{data.title}")
    axes.set_ylabel("% of images")
