"""The four trainings that a method is scored by: how they are asked for, and its scores, seed by seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.core.components import metrics
from stillproof.report.answers import Answered
from stillproof.report.rows import REAL, Rows, Values, common_count, grouped, images
from stillproof.report.tables.table import Difference
from stillproof.score.metric import LabelSides, Metric
from stillproof.score.stats import Summary
from stillproof.suites.dd_ranking.settings import Setting
from stillproof.suites.dd_ranking.trials import RANDOM, SET, SIDES, LabelChoice, Trial, Trials
from stillproof.suites.requests import Row

HARD, OWN = "hard", "own"  # labels: the classes alone, or of the method's own kind
WEIGHT = 0.5  # of the gain over random images; the rest is that of what is lost


def side_rows(
    trials: Trials, section: str, method: str, ipc: int, setting: Setting, network: str, teacher: str = ""
) -> Iterator[Row]:
    """Yield the set with hard and with own labels, and random images with the same; or with those of a teacher."""
    more: dict[str, Any] = {"teacher": teacher} if teacher else {}
    hard = Trial(method, ipc, "set", "hard", setting.hard_recipe, network, setting)
    yield trials.row(section, hard, **more)
    labels: LabelChoice = "soft" if teacher else "own"
    for side in SIDES:
        trial = Trial(method, ipc, side, labels, setting.recipe, network, setting, teacher=teacher)
        row = trials.row(section, trial, **more)
        yield Row({**row.keys, "labels": "own"}, row.requests)


@dataclass(frozen=True, slots=True)
class Sides:
    """One method with one number of images under one network, and one teacher where that is asked.

    Args:
        row: A row that says what they are about.
        real: All real images with hard labels.
        hard: The method's images with hard labels.
        own: The method's images with labels of its own kind.
        random: As many random real images with labels of that kind.
    """

    row: Answered
    real: Answered | None
    hard: Answered | None
    own: Answered | None
    random: Answered | None

    def named(self) -> dict[str, Answered | None]:
        """Return the four by name."""
        return {"real": self.real, "hard": self.hard, "own": self.own, "random": self.random}

    def asked(self) -> dict[str, Answered]:
        """Return those of the four that were asked for; one training under two names comes once."""
        found = {name: side for name, side in self.named().items() if side is not None}
        if self.row["label_kind"] == HARD and self.own is not None:
            found.pop("hard", None)
        return found

    def evidence(self) -> list[LabelSides]:
        """Return the four accuracies of each seed."""
        return [LabelSides(**seed) for seed in by_seed(self.named())]

    def hlr(self) -> Difference | None:
        """Return what is lost against real images when both have hard labels, seed by seed."""
        return _difference("hlr", self.evidence())

    def ior(self) -> Difference | None:
        """Return what is gained over random images that have labels of the same kind, seed by seed."""
        return _difference("ior", self.evidence())

    def lrs_values(self, weight: float = WEIGHT) -> Values:
        """Return the score of each seed; None where one of its four accuracies is missing."""
        return [_lrs(weight).value_or_none(seed) for seed in self.evidence()]

    def lrs(self, weight: float = WEIGHT) -> Summary | None:
        """Return the score over those seeds that have all four accuracies."""
        return _lrs(weight).over_seeds(self.evidence())


def sides_of(rows: Rows, section: str, *varied: str) -> list[Sides]:
    """Return what a section asks about, in the order of its rows; ``varied`` are keys of its own.

    Any section may have asked for the accuracy of all real images, which is the same for every method.
    """
    whole = {_place(row): row for found in rows.values() for row in found if row["images"] == REAL}
    asked = [row for row in rows.get(section, []) if row["images"] != REAL]
    groups = grouped(asked, "dataset", "network", "method", "ipc", *varied).values()
    return [_sides(group, whole.get(_place(group[0]))) for group in groups]


def rows_behind(found: Iterable[Sides]) -> list[Answered]:
    """Return all rows that scores stand on, each once."""
    return list({id(row): row for sides in found for row in sides.asked().values()}.values())


def dash_notes(found: Iterable[Sides], varied: str = "") -> list[str]:
    """Say why there is no score, where there is none; ``varied`` is a key that tells one method's scores apart."""
    return [
        f"No LRS of {whose(sides.row)}{f', {sides.row[varied]}' if varied else ''}: {_why_not(sides)}."
        for sides in found
        if sides.lrs() is None
    ]


def whose(row: Answered) -> str:
    """Say which set a row is about."""
    return f"{row['method']}, {images(row['ipc'])}"


def gain_over_random(own: Answered | None, random: Answered | None) -> Difference | None:
    """Return by how much images are above random ones, seed by seed."""
    return _difference("ior", [LabelSides(**seed) for seed in by_seed({"own": own, "random": random})])


def by_seed(sides: Mapping[str, Answered | None]) -> Iterator[dict[str, Any]]:
    """Yield each seed as evidence takes it: accuracies and their cells by name, and the number of test images."""
    images, known = common_count(sides.values()), {name: row for name, row in sides.items() if row is not None}
    accuracies = {name: row.values() for name, row in known.items()}
    for seed in range(max(map(len, accuracies.values()), default=0)):
        cells = {name: row.cells[seed] for name, row in known.items() if seed < len(row.cells)}
        asked = {name: values[seed] for name, values in accuracies.items() if seed < len(values)}
        yield {**asked, "cells": cells, "images": images}


def _difference(metric: str, evidence: Sequence[LabelSides]) -> Difference | None:
    found: Metric[LabelSides] = metrics.build(metric)
    summary = found.over_seeds(evidence)
    return None if summary is None else Difference(summary)


def _lrs(weight: float) -> Metric[LabelSides]:
    found: Metric[LabelSides] = metrics.build("lrs", {"weight": weight})
    return found


def _sides(group: Sequence[Answered], real: Answered | None) -> Sides:
    found = {(row["images"], row["labels"]): row for row in group}
    hard, own, random = found.get((SET, HARD)), found.get((SET, OWN)), found.get((RANDOM, OWN))
    if group[0]["label_kind"] == HARD:  # the same training under both names
        hard, own, random = hard or own, own or hard, random or found.get((RANDOM, HARD))
    return Sides(own or hard or group[0], real, hard, own, random)


def _why_not(sides: Sides) -> str:
    absent = [name for name, side in sides.named().items() if side is None or side.summary() is None]
    left_out = "; full_recipe=none left out all real images" if sides.row["real_recipe"] == "" else ""
    return f"no accuracy of {' and '.join(absent)}{left_out}" if absent else "no seed has all four accuracies"


def _place(row: Answered) -> tuple[str, str, str | None, str | None]:
    return row["dataset"], row["network"], row["real_recipe"], row["real_whitened"] or None
