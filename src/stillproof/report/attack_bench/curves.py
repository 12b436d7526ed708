"""Robust accuracy over eps as steps, one line per attack, with the best known below all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import BadInput
from stillproof.report.figures.canvas import canvas, footnote, legend, percent_axis
from stillproof.report.figures.style import INK, house_style, looks_of
from stillproof.report.measure import ACCURACY
from stillproof.score.robust_curve import robust_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Distances = npt.NDArray[np.float64]
SHOWN = 8  # attacks of a panel, the best first: more lines cannot be told apart
PLACES = 400  # at which a curve is drawn
BAND = 0.12  # opacity
BEST = "best known"


def draw_robust_curves(
    panels: Sequence[tuple[str, Distances, Mapping[str, Distances]]], norm: str, about: str
) -> Figure:
    """Draw the curves.

    Args:
        panels: For each model its name, the best-known distance of each image, and those of attacks, the best first.
        norm: The norm that distances are measured in.
        about: A sentence on the images.
    """
    if not any(attacks for _, _, attacks in panels):
        raise BadInput("there is nothing to draw: no attack has an answer.")
    names = dict.fromkeys(name for _, _, attacks in panels for name in list(attacks)[:SHOWN])
    looks = looks_of(names)
    with house_style():
        from matplotlib.lines import Line2D

        title = f"Robust accuracy over eps in {norm}"
        figure, all_axes = canvas(title, (3.4 + 4.9 * len(panels), 5.0), columns=len(panels))
        for axes, (model, best, attacks) in zip(all_axes, panels, strict=True):
            radii = _radii(best)
            _steps(axes, radii, best, INK, width=2.4, band=True)
            for name, distances in list(attacks.items())[:SHOWN]:
                _steps(axes, radii, distances, looks[name].colour, width=1.2)
            axes.set_title(model, loc="left", fontsize=11)
            axes.set_xlabel(f"eps in {norm}")
            axes.set_xlim(0, radii[-1])
            axes.set_ylim(bottom=0)
            percent_axis(axes, "y", ACCURACY)
            axes.set_ylabel("robust accuracy (%)")
        handles = [Line2D([], [], color=INK, linewidth=2.4, label=BEST)]
        handles += [Line2D([], [], color=looks[name].colour, linewidth=1.2, label=name) for name in names]
        legend(figure, handles)
        footnote(figure, f"{about} Band: Wilson's 95 % interval of the best known. The {SHOWN} best attacks of each.")
    return figure


def _radii(best: Distances) -> list[float]:
    found = best[np.isfinite(best)]
    largest = float(found.max()) if len(found) and found.max() > 0 else 1.0
    return [float(radius) for radius in np.linspace(0, largest, PLACES)]


def _steps(
    axes: Axes, radii: Sequence[float], distances: Distances, colour: str, width: float, *, band: bool = False
) -> None:
    points = robust_curve(distances, distances > 0, radii)
    axes.step(radii, [point.robust for point in points], where="post", color=colour, linewidth=width)
    if band:
        low, high = zip(*(point.ci95 for point in points), strict=True)
        axes.fill_between(radii, low, high, color=colour, alpha=BAND, linewidth=0, step="post")
