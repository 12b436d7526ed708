"""Which answers were merged from other stores, or stand on such: nobody has computed them here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from stillproof.report.reading_order import those_read_first
from stillproof.store.results import Question
from stillproof.store.store import Store


def merged_among(cells: Collection[str], questions: Mapping[str, Question]) -> dict[str, str]:
    """Return those of the cells whose answers were merged, or stand on one that was, with the store it came from.

    ``questions`` are what is known of the cells and of all that they stand on.
    """
    if not any(question.origin for question in questions.values()):
        return {}
    found = {cell: question.origin for cell, question in questions.items()}
    for cell in those_read_first(questions):
        read = sorted(questions[cell].reads)
        found[cell] = found[cell] or next((origin for one in read if (origin := found.get(one))), None)
    return {cell: origin for cell in cells if (origin := found.get(cell))}


def merged_cells(store: Store, cells: Collection[str]) -> dict[str, str]:
    """Return the same, of what the store knows of cells."""
    return merged_among(cells, store.results.behind(list(cells)))


def merged_caveat(merged: Sequence[str]) -> str:
    """Say how many answers rest on merged ones, where these can be neither left out nor computed; by their stores."""
    rest = "answer rests" if len(merged) == 1 else "answers rest"
    return f"{len(merged)} {rest} on what another store says ({_stores(merged)}), and was not computed here"


def merged_note(merged: Sequence[str]) -> list[str]:
    """Return the same as a note, if there are any."""
    return [f"Merged: {merged_caveat(merged)}."] if merged else []


def merged_notes(merged: Sequence[str], left_out: Sequence[str]) -> list[str]:
    """Say how many answers of a table rest on merged ones, and how many are left out for that; by their stores."""
    told = []
    if merged:
        told.append(
            f"Merged: {merged_caveat(merged)}: --own leaves that out, `stillproof run --trust own` computes it."
        )
    if left_out:
        rest = "answer that rests" if len(left_out) == 1 else "answers that rest"
        told.append(f"Left out: {len(left_out)} {rest} on what another store says ({_stores(left_out)}).")
    return told


def _stores(origins: Sequence[str]) -> str:
    """Name the stores, the most frequent first."""
    return ", ".join(store for store, _ in Counter(origins).most_common())
