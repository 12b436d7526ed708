"""The sentences below tables and figures: what a mark is, over how many seeds, and under which rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stillproof.report.measure import ACCURACY, Measure
from stillproof.report.published import Published, PublishedSearch
from stillproof.score.stats import Summary

SELECTIONS = {
    "last": "last epoch",
    "heldout": "epoch chosen on held-out training images",
    "oracle": "ORACLE: best epoch on the test set",
}
CHOSEN_ON = {"heldout": "held-out training images", "oracle": "ORACLE: the test images"}


@dataclass(frozen=True, slots=True)
class Basis:
    """What holds for every number of a figure.

    Args:
        protocol: ``fair`` or ``faithful``; empty where there is none.
        selection: Which epoch counts; empty where none does.
        about: The rest in a few words, such as data set, network, recipe and scale.
    """

    protocol: str
    selection: str
    about: str = ""

    def sentence(self) -> str:
        """Return it as a sentence."""
        protocol = f"protocol {self.protocol}" if self.protocol else ""
        parts = [part for part in (self.about, protocol, SELECTIONS.get(self.selection, self.selection)) if part]
        return f"{'; '.join(parts)}." if parts else ""


def seeds_sentence(values: Iterable[Summary | None], mark: str) -> str:
    """Say over how many seeds the means are, and what shows their interval."""
    every = [value for value in values if value is not None]
    known = [value for value in every if value.n > 1 or value.over == "seeds"] or every
    kinds = sorted({value.over for value in known}, key=lambda over: over == "seeds")
    return " ".join(_over_sentence([value for value in known if value.over == over], mark) for over in kinds)


def _over_sentence(known: Sequence[Summary], mark: str) -> str:
    counts = sorted({value.n for value in known})
    over = known[0].over if known[0].over in ("seeds", "networks") else f"{known[0].over} of one seed"
    if counts[-1] == 1:
        return f"One {over.removesuffix('s')} (n = 1), so no intervals over {over}."
    n = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    if all(value.ci95 is None for value in known):
        return f"Means over n = {n} {over}."
    without = " (none where n = 1)" if counts[0] == 1 else ""
    return f"Means over n = {n} {over}; {mark}: {_interval(known)}{without}."


def _interval(values: Sequence[Summary]) -> str:
    """Say by which rules intervals are: Student's on either scale, or Wilson's; differences are on the plain scale."""
    rules = {value.rule for value in values if value.ci95 is not None}
    if rules == {"images"}:
        return "Wilson's 95 % interval over the test images, which is wider than Student's over seeds"
    scale = ""
    if "logit" in rules:
        scale = ", on the logit scale for what is in %" if "student" in rules else " on the logit scale"
    if "images" not in rules:
        return f"Student's 95 % interval{scale}"
    return f"Student's 95 % interval over seeds{scale}, or Wilson's over the test images where that is the wider"


def published_sentence(values: Iterable[Published | PublishedSearch | None], mark: str) -> str:
    """Say where published values come from, and what to know about them."""
    there = [value for value in values if value is not None]
    if not there:
        return ""
    papers = [
        f"{paper} ({', '.join(sorted({value.place for value in there if value.paper == paper}))})"
        for paper in sorted({value.paper for value in there})
    ]
    notes = sorted({value.note for value in there if isinstance(value, Published) and value.note})
    return f"{mark}: published in {'; '.join((*papers, *notes))}."


def cut_sentence(values: Iterable[Summary | None], measure: Measure = ACCURACY) -> str:
    """Say so where an interval reaches beyond what can be."""
    ends = [end for value in values if value is not None and value.ci95 for end in value.ci95]
    if all(measure.low <= end <= measure.high for end in ends):
        return ""
    unit = " %" if measure.unit == "%" else ""
    return f"Intervals are cut off at {100 * measure.low:g} and {100 * measure.high:g}{unit}."


def dash_sentence(values: Sequence[Summary | None]) -> str:
    """Say what a dash is, where there is one."""
    return "A dash: no result." if None in values else ""


def join(*sentences: str) -> str:
    """Return the sentences that say something, one after another."""
    return " ".join(sentence for sentence in sentences if sentence)
