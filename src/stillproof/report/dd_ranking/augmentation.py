"""How much of an accuracy is the augmentation's merit: IOR with and without it, and ARS; table and plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.report.dd_ranking.augmented import Augmented, augmented_of
from stillproof.report.dd_ranking.columns import LABEL_KIND, RATE, about_rows, bare, points, published_column
from stillproof.report.dd_ranking.drawing import basis_for, by_figure, mean_of
from stillproof.report.dd_ranking.published import published_augmentation
from stillproof.report.dd_ranking.sides import whose
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.plane import Plane, Spot, draw_plane
from stillproof.report.measure import difference
from stillproof.report.rows import Rows, images, missing_notes
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Mean, Table, Value
from stillproof.score.dd_ranking import augmentation_robust_score
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Is it the images, or the augmentation?"
COLUMNS = (
    *BEFORE,
    LABEL_KIND,
    *(Column("own_with", "with %", Mean), Column("random_with", "random with %", Mean)),
    *(Column("own_without", "without %", Mean), Column("random_without", "random without %", Mean)),
    *(points("ior_with", "IOR with"), points("ior_without", "IOR without"), Column("ars", "ARS", Summary)),
    *(published_column("with", "IOR with"), published_column("without", "IOR without"), published_column("ars", "ARS")),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
NOTES = (
    "with and without: the method's images with labels of its own kind, trained on with the augmentation of its recipe "
    "and without any; random: as many random real images, trained on in the same two ways.",
    "IOR = images - random, seed by seed. ARS: IOR with and without augmentation in one, with weight 0.5, from 0 to "
    "100; 26.9 if images are no better than random ones.",
)


def augmentation_tables(rows: Rows) -> list[Table]:
    """Return one line per method and number of images."""
    found = augmented_of(rows["augmentation"])
    lines = [_line(one) for one in found]
    dashes = [f"No ARS of {whose(one.row)}: {one.why_not()}." for one in found if one.ars() is None]
    notes = [*NOTES, *published_notes(lines), *dashes, *missing_notes(rows["augmentation"])]
    return [Table("augmentation", TITLE, COLUMNS, lines, notes)]


def augmentation_figures(rows: Rows) -> dict[str, Figure]:
    """Return the plane of IOR without and with augmentation for each data set."""
    groups = by_figure(augmented_of(rows.get("augmentation", [])))
    return figures_of("augmentation", groups, lambda found: any(one.is_placed() for one in found), _draw)


def _line(one: Augmented) -> dict[str, Value]:
    accuracies = {name: bare(row) for name, row in one.named().items()}
    scores = {"ior_with": one.ior(augmented=True), "ior_without": one.ior(augmented=False), "ars": one.ars()}
    published = {f"published_{name}": value for name, value in published_augmentation(one).items()}
    return about_rows(one.row, one.named()) | accuracies | scores | published


def _draw(found: list[Augmented]) -> Figure:
    """Draw one panel per number of images per class."""
    return draw_plane(
        Plane(
            TITLE,
            [_spot(one) for one in found],
            basis_for([row for one in found for row in one.rows()]),
            x=difference("IOR without augmentation"),
            y=difference("IOR with augmentation"),
            score_name="ARS",
            score=lambda without, augmented: augmentation_robust_score(augmented, without),
            better="upper right",
        )
    )


def _spot(one: Augmented) -> Spot:
    there = published_augmentation(one)
    return Spot(
        method=str(one.row["method"]),
        x=mean_of(one.ior(augmented=False)),
        y=mean_of(one.ior(augmented=True)),
        published=(there["without"], there["with"]) if "with" in there else None,
        panel=images(one.row["ipc"]),
    )
