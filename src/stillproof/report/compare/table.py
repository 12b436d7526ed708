"""All comparisons of one command: as a table for people, and for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.core.spec import Json
from stillproof.report.compare.comparison import LEVEL, Comparison
from stillproof.report.tables.columns import around, values
from stillproof.report.tables.table import Chance, Column, Difference, Interval, Mean, Number, Table, Value

NUMBERS = (
    Column("first", "first"),
    Column("second", "second"),
    Column("first_accuracy", "first %", Mean),
    Column("second_accuracy", "second %", Mean),
    Column("difference", "first over second, points", Difference),
    Column("p_seeds", "p, seeds", Chance, fold="empty"),
    Column("over_images", "over images, points", Interval),
    Column("images_first", "won by first", Number),
    Column("images_second", "won by second", Number),
    Column("p_images", "p, images", Chance),
    Column("better", "better"),
)
SEEDS = "p, seeds: would other seeds show a difference, too? Student's t-test, paired by seed."
IMAGES = (
    "p, images: would other test images, for these networks? McNemar's test; all seeds' answers for an image are one. "
    "over images: the 95 % interval of the same."
)
WON = "won: images that only the first, or only the second, got right; mean over pairs of networks."
ONE_SET = "Seeds vary the training; each set stays the same."
BETTER = f"better: every p is below {LEVEL}. A dash: no difference was found, which does not mean that there is none."


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What was compared.

    Args:
        of: ``sets``, ``models`` or ``methods``.
        run: The number of the run whose methods they are, if they are.
        found: Every two of them.
        notes: What could not be compared, and why.
    """

    of: str
    run: int | None
    found: Sequence[Comparison]
    notes: Sequence[str] = ()

    def as_dict(self) -> Json:
        """Return the comparisons as JSON values."""
        comparisons = [comparison.as_dict() for comparison in self.found]
        return {"of": self.of, "run": self.run, "comparisons": comparisons, "notes": list(self.notes)}

    def __repr__(self) -> str:
        """Return the table as people read it."""
        return repr(self.table())

    def _repr_html_(self) -> str:
        """Return what a notebook displays."""
        return self.table()._repr_html_()

    def to_dataframe(self) -> Any:
        """Return one row per comparison as a ``pandas.DataFrame``, with fractions.

        Raises:
            BadInput: pandas is not installed.
        """
        return self.table().to_dataframe()

    def table(self) -> Table:
        """Return one line per comparison."""
        columns = around(NUMBERS, [comparison.match.about for comparison in self.found])
        family = (
            f"p-values are adjusted for {len(self.found)} comparisons (Holm), intervals are not."
            if len(self.found) > 1
            else ""
        )
        several = any(len(comparison.pairs) > 1 for comparison in self.found)
        caveats = [caveat for comparison in self.found for caveat in comparison.caveats()]
        tested = f"{' or '.join(dict.fromkeys(str(comparison.n_test) for comparison in self.found))} test images."
        how = (tested, ONE_SET if self.of == "sets" else "", SEEDS if several else "", IMAGES, WON, family, BETTER)
        notes = [note for note in (*how, *dict.fromkeys(caveats), *self.notes) if note]
        lines = [_line(comparison) for comparison in self.found]
        return Table("compare", f"Are these {self.of} different?", columns, lines, notes)


def _line(comparison: Comparison) -> dict[str, Value]:
    first, second = comparison.accuracies
    adjusted = comparison.adjusted_seeds
    return {
        **values(comparison.match.about),
        "first": comparison.match.first.name,
        "second": comparison.match.second.name,
        "first_accuracy": Mean(first),
        "second_accuracy": Mean(second),
        "difference": Difference(comparison.over_seeds.summary),
        "p_seeds": None if adjusted is None else Chance(adjusted),
        "over_images": Interval(*comparison.interval),
        "images_first": _mean(comparison, "only_first"),
        "images_second": _mean(comparison, "only_second"),
        "p_images": Chance(comparison.adjusted_images),
        "better": comparison.better,
    }


def _mean(comparison: Comparison, kind: str) -> Number:
    return Number(math.fsum(getattr(pair, kind) for pair in comparison.pairs) / len(comparison.pairs), ".0f")
