"""How a failed cell says why: a sentence on the first line, then the whole trace; and how that is read again."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass

# The sentence of a cell that only failed because another did: "not computed: CELL ended as failed: REASON".
NOT_COMPUTED = "not computed: "
ENDED = " ended as "

_TRACE = "Traceback (most recent call last):\n"
_FRAME = re.compile(
    r'^  File "(?P<file>.+)", line (?P<line>\d+), in (?P<function>.+)(?:\n    (?P<code>.+))?$', re.MULTILINE
)
_FORESEEN = "stillproof.core.errors."


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in a program that was running."""

    file: str
    line: int
    function: str
    code: str


def failure_text(sentence: str) -> str:
    """Return what is stored of the exception that is being handled; its sentence is for people."""
    return f"{sentence}\n{traceback.format_exc()}"


def sentence_of(text: str | None) -> str:
    """Return why a cell failed, in one line."""
    return (text or "unknown").partition("\n")[0]


def frames_of(text: str) -> list[Frame]:
    """Return where it failed, the innermost place last; of several exceptions, where the last was raised."""
    _, found, trace = text.rpartition(_TRACE)
    frames = _FRAME.finditer(trace) if found else ()
    return [Frame(f["file"], int(f["line"]), f["function"], (f["code"] or "").strip()) for f in frames]


def is_foreseen(text: str) -> bool:
    """Say whether it was raised with a sentence for people, which needs no place in our own code to explain it."""
    return text.rstrip().rpartition("\n")[2].startswith(_FORESEEN) or _TRACE not in text
