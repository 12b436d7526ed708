"""What to keep in mind of times, below every table with attack efficiency or CREI."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.beard.assessed import Assessed
from stillproof.report.disturbed import DISTURBED, is_disturbed

DISTURBED_NOTE = (
    f"DISTURBED: while some attacks were timed, other programs used more than {100 * DISTURBED:.0f} % of the machine: "
    "AE and CREI may be off, AE in passes is not."
)
NOT_TIMED = "Nothing was timed: CREI is made of passes to the first success."


def time_notes(found: Sequence[Assessed]) -> list[str]:
    """Say whether times were disturbed, or there are none, so that CREI is another."""
    untimed = found and not any(one.is_timed for one in found)
    return [*disturbed_notes(found), *([NOT_TIMED] if untimed else [])]


def disturbed_notes(found: Sequence[Assessed]) -> list[str]:
    """Say whether times were disturbed."""
    return [DISTURBED_NOTE] if any(is_disturbed(row) for one in found for row in one.rows()) else []
