"""The four trainings that a method is scored by, and its scores, seed by seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stillproof.report.answers import Answered
from stillproof.report.rows import REAL, Rows, Values, complete, grouped, images
from stillproof.report.tables.table import Difference
from stillproof.score.dd_ranking import hard_label_recovery, improvement_over_random, label_robust_score, over_seeds
from stillproof.score.stats import Summary, summarise

SET, RANDOM = "set", "random"  # whose images: the method's, or random real ones of the same number
HARD, OWN = "hard", "own"  # labels: the classes alone, or of the method's own kind
WEIGHT = 0.5  # of the gain over random images; the rest is that of what is lost


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

    def hlr(self) -> Difference | None:
        """Return what is lost against real images when both have hard labels, seed by seed."""
        seeds = complete(_values(self.real), _values(self.hard))
        return Difference(over_seeds(hard_label_recovery(*zip(*seeds, strict=True)))) if seeds else None

    def ior(self) -> Difference | None:
        """Return what is gained over random images that have labels of the same kind, seed by seed."""
        return gain_over_random(self.own, self.random)

    def lrs_values(self, weight: float = WEIGHT) -> Values:
        """Return the score of each seed; None where one of its four accuracies is missing."""
        return [_lrs(seed, weight) for seed in zip(*map(_values, self.named().values()), strict=False)]

    def lrs(self, weight: float = WEIGHT) -> Summary | None:
        """Return the score over those seeds that have all four accuracies."""
        known = [value for value in self.lrs_values(weight) if value is not None]
        return summarise(known) if known else None


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
    seeds = complete(_values(own), _values(random))
    return Difference(over_seeds(improvement_over_random(*zip(*seeds, strict=True)))) if seeds else None


def _sides(group: Sequence[Answered], real: Answered | None) -> Sides:
    found = {(row["images"], row["labels"]): row for row in group}
    hard, own, random = found.get((SET, HARD)), found.get((SET, OWN)), found.get((RANDOM, OWN))
    if group[0]["label_kind"] == HARD:  # the same training under both names
        hard, own, random = hard or own, own or hard, random or found.get((RANDOM, HARD))
    return Sides(own or hard or group[0], real, hard, own, random)


def _why_not(sides: Sides) -> str:
    absent = [name for name, side in sides.named().items() if side is None or side.summary() is None]
    return f"no accuracy of {' and '.join(absent)}" if absent else "no seed has all four accuracies"


def _lrs(seed: Sequence[float | None], weight: float) -> float | None:
    known = [accuracy for accuracy in seed if accuracy is not None]
    if len(known) < len(seed):
        return None
    real, hard, own, random = known
    return float(label_robust_score(hard_label_recovery(real, hard), improvement_over_random(own, random), weight))


def _place(row: Answered) -> tuple[str, str]:
    return row["dataset"], row["network"]


def _values(row: Answered | None) -> Values:
    return [] if row is None else row.values()
