"""Images that an attack failed on by itself: counted and told, and no answer if there are no others."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.attack.base.victim import COUNTED, WARNINGS
from stillproof.core.errors import Unsupported
from stillproof.core.spec import Json

FAILED = "failed"  # what the count and the sentence are kept under


def note_failures(notes: Json, reasons: Sequence[str], *, tried: int) -> None:
    """Add the images of a batch to those of the batches before it, and say what is known by now.

    Args:
        notes: Where that is kept.
        reasons: Why the attack failed, one for each image that it failed on.
        tried: How many images it was tried on.
    """
    before, seen, *first = notes.setdefault(COUNTED, {}).get(FAILED, (0, 0))
    failed, seen, first = before + len(reasons), seen + tried, [*first, *reasons][:1]
    notes[COUNTED][FAILED] = [failed, seen, *first]
    if failed:
        said = f"it failed on {failed} of {seen} images, which stay as they were: {first[0]}"
        notes.setdefault(WARNINGS, {})[FAILED] = said


def refuse_failures(notes: Json) -> None:
    """Refuse to answer if an attack failed on all images that it was tried on."""
    failed, tried, *first = notes.get(COUNTED, {}).get(FAILED, (0, 0))
    if failed and failed == tried:
        raise Unsupported(f"it failed on all {tried} images that it was tried on: {first[0]}")
