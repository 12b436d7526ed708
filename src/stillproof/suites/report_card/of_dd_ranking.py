"""Sides that DD-Ranking sees: how much of an accuracy the images earn themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.core.components import metrics
from stillproof.report.rows import Rows
from stillproof.report.tables.table import Difference
from stillproof.score.metric import AugmentationSides, LabelSides, Metric
from stillproof.suites.dd_ranking.augmentation import augmented_of
from stillproof.suites.dd_ranking.sides import sides_of
from stillproof.suites.report_card.measured import Measured, Side


def _lrs(rows: Rows) -> Iterator[Measured]:
    for sides in sides_of(rows, "labels"):
        yield Measured(sides.row, sides.lrs(), sides.lrs_values())


def _difference(metric: str, rows: Rows) -> Iterator[Measured]:
    found: Metric[LabelSides] = metrics.build(metric)
    for sides in sides_of(rows, "labels"):
        evidence = sides.evidence()
        summary = found.over_seeds(evidence)
        value = None if summary is None else Difference(summary)
        yield Measured(sides.row, value, [found.value_or_none(seed) for seed in evidence])


def _ars(rows: Rows) -> Iterator[Measured]:
    found: Metric[AugmentationSides] = metrics.build("ars")
    for one in augmented_of(rows["augmentation"]):
        yield Measured(one.row, one.ars(), [found.value_or_none(seed) for seed in one.evidence()])


LABELS = partial(Side, suite="dd-ranking", section="labels")
SIDES = (
    LABELS("lrs", "LRS", better="higher", read=_lrs, about="what images earn without soft labels, 0 to 100"),
    Side("ars", "ARS", "dd-ranking", "augmentation", "higher", _ars, "what they earn without augmentation, 0 to 100"),
    LABELS(
        *("ior", "IOR, points"),
        better="higher",
        read=partial(_difference, "ior"),
        about="gain over random images, labels alike",
        holds=Difference,
        radar=False,
    ),
    LABELS(
        *("hlr", "HLR, points"),
        better="lower",
        read=partial(_difference, "hlr"),
        about="loss against all images, hard labels",
        holds=Difference,
        radar=False,
    ),
)
