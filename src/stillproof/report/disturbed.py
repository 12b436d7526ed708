"""Times that other programs may have made longer."""

from __future__ import annotations

from stillproof.report.answers import Answered

DISTURBED = 0.05  # share of the machine that others may use before a time is doubtful


def is_disturbed(row: Answered) -> bool:
    """Say whether others used much of the machine while something of a row was timed."""
    return any((share or 0) > DISTURBED for share in row.values("others_cpu"))
