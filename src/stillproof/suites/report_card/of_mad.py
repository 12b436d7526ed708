"""Sides that MAD sees: how a network of the set takes attacks that it has never met, after a few examples of each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.report.rows import Rows
from stillproof.suites.mad.arena import META, NONE
from stillproof.suites.mad.defence_scores import common_attacks, scored
from stillproof.suites.report_card.measured import Measured, Side


def _edsr(defence: str, rows: Rows) -> Iterator[Measured]:
    every = scored(rows["distilled"])
    shared = common_attacks(every)["unknown"]
    for one in every:
        if one.row["ipc"] is not None and one.row["defence"] == defence and not one.row["supports"]:
            yield Measured(one.row, one.edsr(shared), one.edsr_by_seed(shared))


EDSR = partial(Side, suite="mad", section="distilled", better="higher")
SIDES = (
    EDSR("edsr", "EDSR", read=partial(_edsr, NONE), about="adaptation to unknown attacks, 100: all is restored"),
    EDSR(
        *("edsr_meta", "EDSR of Meta-AT"),
        read=partial(_edsr, META),
        about="the same after Meta-AT on the set",
        radar=False,
    ),
)
