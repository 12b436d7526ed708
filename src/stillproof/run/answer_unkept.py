"""Answers what only counts in stored answers, where the store is only read."""

from __future__ import annotations

from stillproof.core.components import stages
from stillproof.core.errors import OnlyRead
from stillproof.core.spec import Json
from stillproof.run.plan import Planner
from stillproof.run.stage import Job, Options
from stillproof.store.store import Store
from stillproof.store.strict_json import from_text, to_text


def answers_unkept(planner: Planner, store: Store, options: Options) -> dict[str, Json]:
    """Return the answers to the cells of a plan that the store does not know, by cell; nothing is kept of them.

    Raises:
        OnlyRead: One of them takes more than counting, and has to be kept.
    """
    found: dict[str, Json] = {}
    states = store.results.statuses(list(planner.cells))
    for cell in planner.cells.values():  # in order of need
        if states.get(cell.id) == "done":
            continue
        stage = stages.get(cell.stage)
        if not stage.only_counts or any(need in found for need in cell.needs):
            raise OnlyRead(f"{cell.label} is to be computed, and store {store.shown} is only read here.")
        answer = stage.compute(Job(cell.id, cell.spec, cell.where, store, options, lambda _: None))
        found[cell.id] = from_text(to_text(answer.result, cell.label))
    return found
