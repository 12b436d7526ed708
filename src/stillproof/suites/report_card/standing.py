"""Where a method stands on one side, among the methods that were asked the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.rows import FULL, Rows, Values, grouped
from stillproof.score.rank_stability import rank_stability
from stillproof.score.tiers import Compared, MethodAnswers, Over, Place, Tiers, rank_tiers
from stillproof.suites.report_card.measured import Measured, Side

Right = npt.NDArray[np.bool_]  # (seeds, images)
ReadRight = Callable[[Sequence[str]], Right | None]  # of trained networks, by their cells
NOW_AND_THEN = 0.05  # of all resamples
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
        divided: Whether any method is shown to be better than another.
        uneven: Whether the means that are ranked are over different numbers of seeds.
    """

    side: Side
    measured: Measured
    place: Place | None
    of: int
    over: Over
    first: float | None = None
    divided: bool = False
    uneven: bool = False

    @property
    def row(self) -> Answered:
        """Return what it is about."""
        return self.measured.row

    @property
    def leads(self) -> bool:
        """Say whether it may be the best: nothing is shown to be better, and now and then it is first.

        Nothing leads where no method is shown to be better than another. One whose seeds differ wildly may not be told
        apart from the best, and still never be first.
        """
        if not self.divided or self.place is None:
            return False
        return self.place.best == 1 and (self.place.rank == 1 or (self.first or 0.0) >= NOW_AND_THEN)

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


class Standings:
    """The ranks of all methods on all sides, each computed once, however many cards and boards show them."""

    def __init__(self, right: ReadRight = no_predictions) -> None:
        """Compare methods over test images too, where ``right`` knows which of them are right."""
        self.right = right
        self._known: dict[tuple[int, str, str], tuple[Rows, list[Placed]]] = {}  # rows stay: ids are theirs

    def on(self, side: Side, rows: Rows) -> list[Placed]:
        """Return what rows of a suite say of all methods on one side, with their ranks."""
        key = id(rows), side.suite, side.key
        if key not in self._known:
            self._known[key] = rows, ranked(side, side.measured(rows), self.right)
        return self._known[key][1]


def ranked(side: Side, measured: Iterable[Measured], right: ReadRight = no_predictions) -> list[Placed]:
    """Return what is known of all methods on one side, with their ranks; real images are no method."""
    found = {id(one.row): one for one in measured if one.row["method"] != FULL and one.row["ipc"] is not None}
    alike = grouped((one.row for one in found.values()), *ALIKE).values()
    return [placed for rows in alike for placed in _among(side, [found[id(row)] for row in rows], right)]


def pairs_of(side: Side, measured: Sequence[Measured], right: ReadRight = no_predictions) -> list[Compared]:
    """Return the comparison of any two methods of one group, whose rows are asked alike."""
    group = _Group.of(side, measured, right)
    named = dict(zip(group.names, (str(one.row["method"]) for one in measured), strict=True))
    known = (pair for pair in group.tiers.pairs if pair.p_seeds is not None or pair.p_images is not None)
    return [
        dataclasses.replace(
            pair,
            first=named[pair.first],
            second=named[pair.second],
            better=None if pair.better is None else named[pair.better],
        )
        for pair in known
    ]


@dataclass(frozen=True)
class _Group:
    """Methods that were asked alike: what each is called among them, their answers, and their tiers."""

    names: Sequence[str]
    answers: Mapping[str, MethodAnswers]
    rules: Mapping[str, bool]
    tiers: Tiers

    @classmethod
    def of(cls, side: Side, group: Sequence[Measured], right: ReadRight) -> _Group:
        ask: dict[tuple[Sequence[str], Values], str] = {}  # a method may be there in other words, and counts once
        names = [
            ask.setdefault((tuple(one.row.cells) or str(n), tuple(one.seeds)), str(n)) for n, one in enumerate(group)
        ]
        known = {name: _answers(one, right) for name, one in zip(names, group, strict=True) if one.seeds}
        answers = _on_same_images(known)
        rules = {"lower_is_better": side.better == "lower", "shared_seeds": len(_counts(answers)) == 1}
        return cls(names, answers, rules, rank_tiers(answers, **rules))


def _among(side: Side, group: Sequence[Measured], right: ReadRight) -> list[Placed]:
    """Return the measured of one group with their ranks; one that is not known, or not by seed, has none."""
    found = _Group.of(side, group, right)
    of = sum(place is not None for place in found.tiers.places.values())
    if of < 2:
        return [Placed(side, one, None, of, found.tiers.over) for one in group]
    shares = rank_stability(found.answers, Seeds(0).child("card", side.key), **found.rules).methods
    divided = any(pair.better for pair in found.tiers.pairs)
    placed = []
    for name, one in zip(found.names, group, strict=True):
        place, share = found.tiers.places.get(name), shares.get(name)
        first = share.first if share else None
        placed.append(Placed(side, one, place, of, found.tiers.over, first, divided, len(_counts(found.answers)) > 1))
    return placed


def _counts(answers: Mapping[str, MethodAnswers]) -> set[int]:
    """Return over how many seeds the known means are."""
    return {len(one.values) for one in answers.values() if one.known()}


def _answers(one: Measured, right: ReadRight) -> MethodAnswers:
    whole = one.tested and None not in one.seeds
    return MethodAnswers(one.seeds, right(one.tested) if whole else None)


def _on_same_images(answers: Mapping[str, MethodAnswers]) -> Mapping[str, MethodAnswers]:
    """Return answers without their images where these are of other test sets, so that seeds alone compare them."""
    if len({one.right.shape[1] for one in answers.values() if one.right is not None}) < 2:
        return answers
    return {name: MethodAnswers(one.values) for name, one in answers.items()}
