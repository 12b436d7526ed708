"""How much of an accuracy is the labels' merit: HLR, IOR and LRS, beside what was published, and LRS by its weight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.score_grid import score_grid
from stillproof.report.figures.values import Curve, CurvePanel, Curves, FigureData, Plane, Point, Spot
from stillproof.report.measure import difference, score
from stillproof.report.rows import Rows, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.metric_columns import added_metrics, metric_columns, metric_values
from stillproof.report.tables.table import Column, Mean, Table, Value
from stillproof.score.dd_ranking import label_robust_score
from stillproof.score.metric import LabelSides
from stillproof.score.stats import Summary
from stillproof.suites.dd_ranking.published import published_labels
from stillproof.suites.dd_ranking.report_parts import (
    LABEL_KIND,
    RATE,
    about_rows,
    basis_for,
    by_figure,
    mean_of,
    points,
    published_column,
    without_interval,
)
from stillproof.suites.dd_ranking.sides import Sides, dash_notes, rows_behind, side_rows, sides_of
from stillproof.suites.dd_ranking.trials import Trials
from stillproof.suites.requests import Row

TITLE = "Is it the images, or the labels?"
COLUMNS = (
    *BEFORE,
    LABEL_KIND,
    # The four accuracies are shown without their intervals, for which a line has no room.
    *(Column(name, f"{name} %", Mean) for name in ("real", "hard", "own", "random")),
    *(points("hlr", "HLR"), points("ior", "IOR"), Column("lrs", "LRS", Summary)),
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
WEIGHTS = tuple(tenths / 10 for tenths in range(1, 10))
WEIGHTS_TITLE = "LRS over its weight"
WEIGHTS_COLUMNS = (
    *BEFORE,
    LABEL_KIND,
    *(Column(f"lrs_{weight}", f"{weight}", Mean) for weight in WEIGHTS),
    *(MISSING, RATE),
    *RULES_OF_OWN_RECIPES,
)
WEIGHTS_NOTE = (
    "LRS (0 to 100) by the weight of IOR, the rest being that of HLR: to the left, what is lost with hard labels "
    "counts more, to the right, what is gained over random images. Intervals are in the figure, and in --format csv."
)


def label_rows(trials: Trials) -> Iterator[Row]:
    """Yield what HLR, IOR and LRS are made of."""
    asked = list(trials.asked())
    yield from trials.real_rows("labels", asked)
    for method, ipc, setting in asked:
        yield from side_rows(trials, "labels", method, ipc, setting, trials.network_of(setting))


def labels_tables(rows: Rows) -> list[Table]:
    """Return the scores, and LRS over the weight of its two parts."""
    found = sides_of(rows, "labels")
    added = added_metrics(LabelSides)
    lines = [_line(sides) | metric_values(added, sides.evidence()) for sides in found]
    missing = [*dash_notes(found), *missing_notes(rows_behind(found))]
    notes = [*NOTES, *published_notes(lines), *missing]
    columns = (*COLUMNS, *metric_columns(added))
    return [Table("labels", TITLE, columns, lines, notes), _weights_table(found, missing)]


def _line(sides: Sides) -> dict[str, Value]:
    accuracies = {name: without_interval(row) for name, row in sides.named().items()}
    scores = {"hlr": sides.hlr(), "ior": sides.ior(), "lrs": sides.lrs()}
    published = {f"published_{name}": value for name, value in published_labels(sides.row, sides.random).items()}
    return about_rows(sides.row, sides.asked()) | accuracies | scores | published


def _weights_table(found: Sequence[Sides], missing: Sequence[str]) -> Table:
    """Return one line per method and number of images; ``missing`` says why there are dashes."""
    lines = [_weights_line(sides) for sides in found]
    return Table("labels-weights", WEIGHTS_TITLE, WEIGHTS_COLUMNS, lines, [WEIGHTS_NOTE, *missing])


def _weights_line(sides: Sides) -> dict[str, Value]:
    scores = {weight: sides.lrs(weight) for weight in WEIGHTS}
    means = {f"lrs_{weight}": None if score is None else Mean(score) for weight, score in scores.items()}
    return about_rows(sides.row, sides.asked()) | means


def labels_figures(rows: Rows) -> dict[str, FigureData]:
    """Return, for each data set, the plane of HLR and IOR, and LRS over its weight."""
    groups = by_figure(sides_of(rows, "labels"))
    planes = figures_of("labels", groups, lambda found: any(sides.hlr() and sides.ior() for sides in found), _plane)
    curves = figures_of("labels-weights", groups, lambda found: any(sides.lrs() for sides in found), _weight_curves)
    return {**planes, **curves}


def _plane(found: list[Sides]) -> Plane:
    """Return one panel per number of images per class."""
    spots = [_spot(sides) for sides in found]
    x, y = difference("HLR: lost against real images, hard labels"), difference("IOR: gained over random images")
    lrs = score_grid(spots, x, y, label_robust_score)
    return Plane(TITLE, spots, basis_for(rows_behind(found)), x, y, score_name="LRS", score=lrs, better="upper left")


def _spot(sides: Sides) -> Spot:
    hlr, ior, there = sides.hlr(), sides.ior(), published_labels(sides.row, sides.random)
    return Spot(
        method=str(sides.row["method"]),
        x=mean_of(hlr),
        y=mean_of(ior),
        published=(there["hlr"], there["ior"]) if there else None,
        panel=images(sides.row["ipc"]),
    )


def _weight_curves(found: Sequence[Sides]) -> Curves:
    """Return one panel per number of images per class."""
    sizes = dict.fromkeys(sides.row["ipc"] for sides in found)
    panels = [
        CurvePanel([_curve(sides) for sides in found if sides.row["ipc"] == ipc], title=images(ipc)) for ipc in sizes
    ]
    x_name = "weight of IOR (the rest is that of HLR)"
    basis = basis_for(rows_behind(found))
    return Curves(WEIGHTS_TITLE, x_name, panels, basis, measure=score("LRS"), linear=True)


def _curve(sides: Sides) -> Curve:
    return Curve(str(sides.row["method"]), [Point(weight, sides.lrs(weight)) for weight in WEIGHTS])


SECTION = Section(
    "labels",
    label_rows,
    labels_tables,
    labels_figures,
    title="Contribution of the labels",
    question="How much of an accuracy is due to the labels?",
    reading="Where HLR is large, labels do the work; where IOR is near zero, images are no better than random ones.",
)
