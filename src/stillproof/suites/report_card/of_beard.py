"""Sides that BEARD sees: what attacks leave of a network, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from stillproof.core.components import metrics
from stillproof.core.reference import write_reference
from stillproof.report.rows import Rows, Values
from stillproof.score.metric import Metric, UnderAttack
from stillproof.suites.beard.method_scores import Assessed, assessed
from stillproof.suites.report_card.measured import Measured, Side

MODE = "untargeted"  # that every attack has, and that leaves least


def _area(rows: Rows) -> Iterator[Measured]:
    for row in rows["curves"]:
        if row["norm"] == "Linf" and not row["defence"]:
            yield Measured(row, row.summary("robust-area"), row.values("area"))


def _assessed(rows: Rows) -> list[Assessed]:
    """Return the models of one size each; sizes that are pooled stand on no card."""
    return [one for one in assessed(rows["scores"]) if one.row["mode"] == MODE and len(one.parts) == 1]


def _scored(metric: str, rows: Rows) -> Iterator[Measured]:
    for one in _assessed(rows):
        evidence = one.evidence()
        yield Measured(one.row, one.score(metric), _by_seed(metric, evidence))


def _crei(rows: Rows) -> Iterator[Measured]:
    for one in _assessed(rows):
        metric = "crei" if one.is_timed else "crei-passes"
        evidence = one.evidence()
        efficiency, ratio = (_by_seed(write_reference(metric, {"alpha": end}), evidence) for end in (0.0, 1.0))
        yield Measured(one.row, one.crei(), _by_seed(metric, evidence), parts=(efficiency, ratio))


def _by_seed(metric: str, evidence: Sequence[UnderAttack]) -> Values:
    found: Metric[UnderAttack] = metrics.build(metric)
    return [found.value_or_none(seed) for seed in evidence]


SCORE = partial(Side, suite="beard", section="scores", better="higher")
SIDES = (
    Side("area", "mean over eps %", "beard", "curves", "higher", _area, "area below the robustness curve, Linf"),
    SCORE(
        *("worst", "worst case %"),
        read=partial(_scored, "worst-case-accuracy"),
        about="accuracy if each image meets its worst attack",
    ),
    SCORE("rr", "RR", read=partial(_scored, "rr"), about="robustness ratio, 0 to 100"),
    SCORE(
        *("ae", "AE, passes"),
        read=partial(_scored, "ae-passes"),
        about="attack efficiency by passes, 0 to 100",
    ),
    SCORE("crei", "CREI", read=_crei, about="half RR, half attack efficiency", radar=False, weighs="plainly"),
)
