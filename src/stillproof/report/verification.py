"""Claimed results beside those that were computed again: does each mean lie where the claim says?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.claims import OVER_IMAGES, Claim, claims_of
from stillproof.report.tables.columns import BEFORE, NOTED, RECIPE, RULES, around, values
from stillproof.report.tables.table import Column, Percent, Share, Table, Value
from stillproof.score.stats import Summary

CLAIMED = Column("claimed", "claimed %", Share)
MEASURED = Column("measured", "measured %", Percent)
INSIDE = Column("inside", "inside")
NUMBER = Column("number", "number")
ASKED = "what was asked"  # a column
USUAL = {column.key for column in (*BEFORE, *RULES)} - {RECIPE.key}  # the columns that rows of any suite may fill
WIDE = 0.5  # of an interval of a share


@dataclass(frozen=True, slots=True)
class Checked:
    """One claimed number, and the same computed again.

    Args:
        keys: What its row is about.
        claim: What is claimed.
        measured: What was found; nothing if a seed has no answer.
        missing: How many seeds have none.
        per_seed: What was found for each seed.
        images: How many images that is a share of, if that is known.
    """

    keys: Mapping[str, Any]
    claim: Claim
    measured: Summary | None
    missing: int = 0
    per_seed: Sequence[float | None] = ()
    images: int | None = None

    @property
    def holds(self) -> bool | None:
        """Say whether it is borne out; nothing if it was not measured."""
        return None if self.measured is None else not self.of_others and self.claim.holds(self.measured.mean)

    @property
    def of_others(self) -> bool:
        """Say whether it is claimed of another number of images than there are: its interval may be any."""
        return None not in (self.images, self.claim.images) and self.images != self.claim.images

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        claim = self.claim
        claimed = claim.summary.as_dict() | {
            "interval": None if claim.interval is None else list(claim.interval),
            "interval_over": claim.over,
        }
        measured = None if self.measured is None else self.measured.as_dict()
        return {
            **self.keys,
            "number": claim.title,
            "claimed": claimed,
            "measured": measured,
            "missing": self.missing,
            "inside": self.holds,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """What became of the claims of some results.

    Args:
        name: What the results are called.
        checks: Their numbers.
        notes: What should be known beside them, one sentence each.
    """

    name: str
    checks: Sequence[Checked]
    notes: Sequence[str] = ()

    def __bool__(self) -> bool:
        """Say whether every number is borne out."""
        return all(check.holds for check in self.checks)

    def __repr__(self) -> str:
        """Return the table as people read it."""
        return repr(self.table())

    def verdict(self) -> str:
        """Say in one sentence what came out."""
        inside = sum(check.holds is True for check in self.checks)
        without = sum(check.measured is None for check in self.checks)
        text = f"{inside} of {len(self.checks)} numbers of {self.name} lie in their claimed intervals"
        return text + (f", and {without} could not be measured" if without else "")

    def table(self) -> Table:
        """Return one line per number."""
        titles = list(dict.fromkeys(check.claim.title for check in self.checks))
        alone = titles[0] if len(titles) == 1 else ""
        said = _said([check.keys for check in self.checks])
        columns = around(_columns(alone), said)
        rows = [_line(check, one, alone=bool(alone)) for check, one in zip(self.checks, said, strict=True)]
        notes = [*_about_intervals(self.checks), self._seed_by_seed(), *self.notes]
        return Table("verify", "Claimed and computed again", columns, rows, notes)

    def _seed_by_seed(self) -> str:
        pairs = [pair for check in self.checks for pair in zip(check.claim.per_seed, check.per_seed, strict=False)]
        same = sum(one is not None and one == other for one, other in pairs)
        return f"Seed by seed, {same} of {len(pairs)} numbers are exactly those that are claimed."

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        checks = [check.as_dict() for check in self.checks]
        return {"name": self.name, "holds": bool(self), "numbers": checks, "notes": list(self.notes)}


def checked(claimed: Sequence[Answered], measured: Sequence[Answered]) -> list[Checked]:
    """Return the numbers of claimed rows beside those of the same rows computed again, in the same order."""
    found = []
    for one, other in zip(claimed, measured, strict=True):
        there = claims_of(other)
        for name, claim in claims_of(one).items():
            again = there.get(name)
            mean = again.summary if again is not None and not other.missing else None
            per_seed, images = (again.per_seed, again.images) if again else ((), None)
            found.append(Checked(one.keys, claim, mean, other.missing, per_seed, images))
    return found


def unasked(claimed: Sequence[Answered]) -> list[Checked]:
    """Return the numbers of claimed rows that nobody asks for here, so that they cannot be computed again."""
    return [Checked(row.keys, claim, None, len(row.results)) for row in claimed for claim in claims_of(row).values()]


def _columns(title: str) -> list[Column]:
    """Return the columns of the numbers, which all are called by the title if there is one."""
    both = (CLAIMED, MEASURED)
    if title:
        return [INSIDE, *(dataclasses.replace(one, title=f"{one.key} {title}") for one in both)]
    return [NUMBER, INSIDE, *both]


def _said(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what rows are about, with all that is no usual column and that tells some of them apart in one text."""
    keys = dict.fromkeys(key for row in rows for key in row if key not in (*USUAL, *NOTED))
    told = sorted(
        (key for key in keys if len({str(row.get(key)) for row in rows}) > 1), key=lambda key: key == RECIPE.key
    )
    found = []
    for row in rows:
        text = ", ".join(key if row[key] is True else str(row[key]) for key in told if row.get(key))
        found.append({key: value for key, value in row.items() if key not in told} | ({ASKED: text} if told else {}))
    return found


def _line(check: Checked, said: Mapping[str, Any], *, alone: bool) -> dict[str, Value]:
    claim = check.claim
    mean = claim.summary.mean
    claimed: Value = Share(mean, claim.interval) if claim.interval else Percent(mean, 2)
    inside = {True: "yes", False: "NO", None: "not measured"}[check.holds]
    number: dict[str, Value] = {} if alone else {"number": claim.title}
    measured = None if check.measured is None else Percent(check.measured.mean, 2)
    return values(said) | number | {"claimed": claimed, "measured": measured, "inside": inside}


def _about_intervals(checks: Sequence[Checked]) -> Iterator[str]:
    """Say what claimed intervals are over, and how many rule hardly anything out."""
    ends = [check.claim.interval for check in checks if check.claim.interval]
    over = {check.claim.over for check in checks if check.claim.interval}
    counts = sorted({check.claim.summary.n for check in checks})
    yield f"Means over n = {' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} seeds, with 95 % intervals."
    if over == {OVER_IMAGES}:
        yield "Claimed intervals are Wilson's, over the test images: wider than over seeds, or n = 1."
    elif OVER_IMAGES in over:
        yield "Claimed intervals are over seeds; Wilson's over the test images where those are wider, or n = 1."
    if wide := sum(high - low > WIDE for low, high in ends):
        yield f"{wide} of {len(ends)} claimed intervals span more than {100 * WIDE:.0f} points, and rule little out."
    if others := sum(check.of_others for check in checks):
        yield f"{others} numbers are claimed of other numbers of test images than there are, so that they do not hold."
