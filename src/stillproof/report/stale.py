"""Which stored answers are of an older generation: code that they stand on has since got other numbers.

A generation that rose renames a cell, so that a run computes it anew; a run of before still lists the old one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stillproof.core.components import REGISTRIES
from stillproof.core.spec import Json
from stillproof.report.identities import components_in, has_risen
from stillproof.report.reading_order import those_read_first
from stillproof.store.results import Question
from stillproof.store.store import Store


def stale_cells(store: Store, cells: Iterable[str]) -> dict[str, str]:
    """Return those of the cells that are of an older generation, or stand on one that is, with its component.

    Cells of an edited clone and of plug-ins that are not here are left alone: nobody knows whether they are older.
    """
    asked = list(cells)
    return stale_among(asked, store.results.behind(asked))


def stale_among(asked: Iterable[str], questions: Mapping[str, Question]) -> dict[str, str]:
    """Return the same, of what is known of the cells and of all that they stand on."""
    older = {cell: next(_older(question.spec), None) for cell, question in questions.items()}
    for cell in those_read_first(questions):
        older[cell] = older[cell] or next((why for read in questions[cell].reads if (why := older.get(read))), None)
    return {cell: why for cell in asked if (why := older.get(cell)) is not None}


def stale_notes(older: Sequence[str]) -> list[str]:
    """Say how many answers are left out because components that they stand on, one of each, have risen since."""
    if not older:
        return []
    answers = "1 answer is" if len(older) == 1 else f"{len(older)} answers are"
    return [
        f"Left out: {answers} of an earlier version of Stillproof, whose numbers may differ "
        f"({', '.join(dict.fromkeys(older))}): run the suite again to compute them anew."
    ]


def _older(spec: Json) -> Iterator[str]:
    """Yield the components of a spec that have risen since."""
    for kind, name, known in components_in(spec):
        if has_risen(kind, name, known):
            yield f"{REGISTRIES[kind].kind} {name}"
