"""Text as a terminal may show it: names come from files of others, and may hold what moves a cursor or hides lines."""

from __future__ import annotations

import logging
import re
import sys

# All control characters but tab and line feed, those that turn the direction of text or take no place in it, and halves
# of characters, by which Python stands for bytes of file names that are not text.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Return a text with unseen characters as they are written in Python: escape as backslash, x, 1, b."""
    return _UNSEEN.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """Return a text that is printable, and in one line."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


class _Printable(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


def log_to_stderr(level: int = logging.WARNING) -> None:
    """Let messages of all libraries from a level on, and all of ours, go to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Printable("%(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
