"""The order in which cells stand on each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stillproof.store.results import Question


def those_read_first(questions: Mapping[str, Question]) -> Iterator[str]:
    """Yield cells after all cells that they read."""
    done: set[str] = set()
    waiting = list(questions)
    while waiting:
        cell = waiting[-1]
        unread = [read for read in questions[cell].reads if read in questions and read not in done]
        if cell in done or not unread:
            waiting.pop()
            if cell not in done:
                done.add(cell)
                yield cell
        else:
            waiting += unread
