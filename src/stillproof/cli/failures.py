"""Shows why cells failed: one line for each cause, and below it the places that led there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stillproof.report.failures import Cause

SHOWN = 10  # causes that the end of a run tells


def show_causes(causes: Sequence[Cause], tell: Callable[[str], None], most: int | None = None) -> None:
    """Tell every cause, or of many the first ``most``."""
    for cause in causes[:most]:
        tell(cause.line())
        for place in cause.trace() if len(cause.frames) > 1 else [f.code for f in cause.frames if f.code]:
            tell(f"    {place}")
    rest = causes[len(causes[:most]) :]
    if rest:
        tell(f"and {sum(cause.cells for cause in rest)} cells for {len(rest)} more reasons")
