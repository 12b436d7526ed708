"""Sides that DD-Ranking sees: how much of an accuracy the images earn themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.core.components import metrics
from stillproof.report.rows import Rows
from stillproof.report.tables.table import Difference
from stillproof.score.metric import AugmentationSides, LabelSides, Metric
from stillproof.suites.dd_ranking.augmentation import Augmented, augmented_of
from stillproof.suites.dd_ranking.sides import Sides, sides_of
from stillproof.suites.report_card.measured import Measured, Side


def _lrs(rows: Rows) -> Iterator[Measured]:
    for sides in sides_of(rows, "labels"):
        lost, gained = (_by_seed(metric, sides) for metric in ("hlr", "ior"))
        ends = [None if value is None else -value for value in lost], gained
        yield Measured(sides.row, sides.lrs(), sides.lrs_values(), parts=ends)


def _by_seed(metric: str, sides: Sides) -> list[float | None]:
    found: Metric[LabelSides] = metrics.build(metric)
    return [found.value_or_none(seed) for seed in sides.evidence()]


def _difference(metric: str, rows: Rows) -> Iterator[Measured]:
    found: Metric[LabelSides] = metrics.build(metric)
    for sides in sides_of(rows, "labels"):
        summary = found.over_seeds(sides.evidence())
        value = None if summary is None else Difference(summary)
        yield Measured(sides.row, value, _by_seed(metric, sides))


def _ars(rows: Rows) -> Iterator[Measured]:
    found: Metric[AugmentationSides] = metrics.build("ars")
    for one in augmented_of(rows["augmentation"]):
        plain, augmented = (_gains(one, augmented=flag) for flag in (False, True))
        by_seed = [found.value_or_none(seed) for seed in one.evidence()]
        yield Measured(one.row, one.ars(), by_seed, parts=(plain, augmented))


def _gains(one: Augmented, *, augmented: bool) -> list[float | None]:
    """Return the gain over random images of each seed."""
    pairs = [
        (seed.own_with, seed.random_with) if augmented else (seed.own_without, seed.random_without)
        for seed in one.evidence()
    ]
    return [None if own is None or random is None else own - random for own, random in pairs]


LABELS = partial(Side, suite="dd-ranking", section="labels")
SIDES = (
    LABELS(
        "lrs",
        "LRS",
        better="higher",
        read=_lrs,
        about="what images earn without soft labels, 0 to 100",
        weighs="convexly",
    ),
    Side(
        *("ars", "ARS", "dd-ranking", "augmentation", "higher"),
        read=_ars,
        about="what they earn without augmentation, 0 to 100",
        weighs="convexly",
    ),
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
        about="loss against all images, hard labels; lower is better",
        holds=Difference,
        radar=False,
    ),
)
