"""How much of an accuracy is the labels' merit: HLR, IOR and LRS, beside what was published; table and plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.dd_ranking.columns import (
    ACCURACIES,
    LABEL_KIND,
    LRS,
    RATE,
    about_rows,
    bare,
    points,
    published_column,
)
from stillproof.report.dd_ranking.drawing import basis_for, by_figure, mean_of
from stillproof.report.dd_ranking.label_weights import draw_weights, weights_table
from stillproof.report.dd_ranking.published import published_labels
from stillproof.report.dd_ranking.sides import Sides, dash_notes, rows_behind, sides_of
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.plane import Plane, Spot, draw_plane
from stillproof.report.measure import difference
from stillproof.report.rows import Rows, images, missing_notes
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Table, Value
from stillproof.score.dd_ranking import label_robust_score

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Is it the images, or the labels?"
COLUMNS = (
    *BEFORE,
    LABEL_KIND,
    *ACCURACIES,
    *(points("hlr", "HLR"), points("ior", "IOR"), LRS),
    *(published_column(name, name.upper()) for name in ("hlr", "ior", "lrs")),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
NOTES = (
    "real: all real images with hard labels, by their own recipe; hard and own: the method's images with hard labels "
    "and with labels of its own kind; random: as many random real images, new for each seed, with labels of that kind.",
    "HLR = real - hard: what is lost against real images, both with hard labels (less is better). IOR = own - random: "
    "what its images gain over random ones, both with the same labels (more is better). LRS: both in one, with weight "
    "0.5, from 0 to 100; 26.9 if nothing is lost and nothing gained. All are computed seed by seed.",
)


def labels_tables(rows: Rows) -> list[Table]:
    """Return the scores, and LRS over the weight of its two parts."""
    found = sides_of(rows, "labels")
    lines = [_line(sides) for sides in found]
    missing = [*dash_notes(found), *missing_notes(rows_behind(found))]
    notes = [*NOTES, *published_notes(lines), *missing]
    return [Table("labels", TITLE, COLUMNS, lines, notes), weights_table(found, missing)]


def labels_figures(rows: Rows) -> dict[str, Figure]:
    """Return, for each data set, the plane of HLR and IOR, and LRS over its weight."""
    groups = by_figure(sides_of(rows, "labels"))
    planes = figures_of("labels", groups, lambda found: any(sides.hlr() and sides.ior() for sides in found), _draw)
    curves = figures_of("labels-weights", groups, lambda found: any(sides.lrs() for sides in found), draw_weights)
    return planes | curves


def _line(sides: Sides) -> dict[str, Value]:
    accuracies = {name: bare(row) for name, row in sides.named().items()}
    scores = {"hlr": sides.hlr(), "ior": sides.ior(), "lrs": sides.lrs()}
    published = {f"published_{name}": value for name, value in published_labels(sides).items()}
    return about_rows(sides.row, sides.asked()) | accuracies | scores | published


def _draw(found: list[Sides]) -> Figure:
    """Draw one panel per number of images per class."""
    return draw_plane(
        Plane(
            TITLE,
            [_spot(sides) for sides in found],
            basis_for(rows_behind(found)),
            x=difference("HLR: lost against real images, hard labels"),
            y=difference("IOR: gained over random images"),
            score_name="LRS",
            score=label_robust_score,
            better="upper left",
        )
    )


def _spot(sides: Sides) -> Spot:
    hlr, ior, there = sides.hlr(), sides.ior(), published_labels(sides)
    return Spot(
        method=str(sides.row["method"]),
        x=mean_of(hlr),
        y=mean_of(ior),
        published=(there["hlr"], there["ior"]) if there else None,
        panel=images(sides.row["ipc"]),
    )
