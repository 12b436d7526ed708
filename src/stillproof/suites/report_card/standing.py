"""Where a method stands on one side, among the methods that were asked the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.rows import FULL, grouped
from stillproof.score.rank_stability import rank_stability
from stillproof.score.tiers import MethodAnswers, Over, Place, rank_tiers
from stillproof.suites.report_card.measured import Measured, Side

Right = npt.NDArray[np.bool_]  # (seeds, images)
ReadRight = Callable[[Sequence[str]], Right | None]  # of trained networks, by their cells
ALIKE = ("dataset", "network", "ipc", "space")  # what rows that are ranked together agree in


@dataclass(frozen=True, slots=True)
class Placed:
    """One number of a method, and where it stands.

    Args:
        side: The side.
        measured: The number.
        place: Its rank; none where nothing can be ranked.
        of: How many methods are ranked.
        over: What they were compared over.
        first: In which share of resamples of seeds, and images, it is first.
    """

    side: Side
    measured: Measured
    place: Place | None
    of: int
    over: Over
    first: float | None = None

    @property
    def row(self) -> Answered:
        """Return what it is about."""
        return self.measured.row

    def ranking(self) -> Json | None:
        """Return where it stands as JSON values."""
        if self.place is None:
            return None
        return self.place.as_dict() | {"of": self.of, "first": self.first, "over": self.over}

    @property
    def rank_text(self) -> str | None:
        """Return its rank, with those that cannot be excluded in brackets."""
        if self.place is None:
            return None
        best, worst = self.place.best, self.place.worst
        return f"{self.place.rank} of {self.of}" + (f" ({best} to {worst})" if best < worst else "")


def no_predictions(cells: Sequence[str]) -> Right | None:
    """Return nothing: seeds alone compare methods."""
    return None


def ranked(side: Side, measured: Iterable[Measured], right: ReadRight = no_predictions) -> list[Placed]:
    """Return what is known of all methods on one side, with their ranks; real images are no method."""
    found = {id(one.row): one for one in measured if one.row["method"] != FULL and one.row["ipc"] is not None}
    alike = grouped((one.row for one in found.values()), *ALIKE).values()
    return [placed for rows in alike for placed in _among(side, [found[id(row)] for row in rows], right)]


def _among(side: Side, group: Sequence[Measured], right: ReadRight) -> list[Placed]:
    """Return the measured of one group with their ranks; one that is not known, or not by seed, has none."""
    answers = {str(number): _answers(one, right) for number, one in enumerate(group) if one.seeds}
    counts = {len(one.values) for one in answers.values() if one.known()}
    rules = {"lower_is_better": side.better == "lower", "shared_seeds": len(counts) == 1}
    found = rank_tiers(answers, **rules)
    of = sum(place is not None for place in found.places.values())
    if of < 2:
        return [Placed(side, one, None, of, found.over) for one in group]
    shares = rank_stability(answers, Seeds(0).child("card", side.key), **rules).methods
    return [
        Placed(side, one, found.places.get(name), of, found.over, share.first if (share := shares.get(name)) else None)
        for name, one in zip(map(str, range(len(group))), group, strict=True)
    ]


def _answers(one: Measured, right: ReadRight) -> MethodAnswers:
    whole = one.tested and None not in one.seeds
    return MethodAnswers(one.seeds, right(one.tested) if whole else None)
