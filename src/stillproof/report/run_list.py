"""What was asked of a store, and how much of it is done: runs of suites, and single calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stillproof.core.spec import Json
from stillproof.report.answers import answered_rows
from stillproof.report.runs import called
from stillproof.report.tables.text import text_of
from stillproof.score.stats import Summary
from stillproof.store.links import abandoned
from stillproof.store.records import Run
from stillproof.store.store import Store


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run or a single call, and the states of the cells of its table."""

    run: Run
    states: Mapping[str, str]  # of those that were entered
    accuracy: Summary | None = None  # of a single training

    @property
    def datasets(self) -> list[str]:
        """Return the data sets of its rows."""
        return self._said("dataset")

    @property
    def methods(self) -> list[str]:
        """Return the methods of its rows."""
        return self._said("method")

    def title(self) -> str:
        """Say in a few words what was asked."""
        parts = (self.run.suite, ", ".join(self.methods), f"of {', '.join(self.datasets)}")
        return " ".join(part for part in parts if part)

    def line(self) -> str:
        """Say what was asked, how much of it is done and, of a single training, what came out."""
        accuracy = f", accuracy {text_of(self.accuracy)} %" if self.accuracy else ""
        return f"{called(self.run)}: {self.title()}, {self.progress()} done{accuracy}"

    def count(self, state: str) -> int:
        """Return how many of its cells are in a state."""
        return sum(found == state for found in self.states.values())

    def progress(self) -> str:
        """Say how much is done."""
        ended = ((state, self.count(state)) for state in ("failed", "unsupported", "running", "abandoned"))
        parts = [f"{self.count('done')} of {len(self.run.cells)}", *(f"{n} {state}" for state, n in ended if n)]
        return ", ".join(parts)

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        run = self.run
        about = {"id": run.id, "hash": run.hash, "created": run.created, "asked": run.asked, "cells": len(run.cells)}
        about |= {"done": self.count("done"), "failed": self.count("failed")}
        if run.verb == "run":
            told = {"suite": run.suite, "name": run.name, "note": run.note, "config": run.config}
            return about | told | {"datasets": self.datasets, "methods": self.methods}
        (row,) = run.rows
        keys = ("dataset", "method", "ipc", "seed", "network", "recipe", "selection")
        accuracy = None if self.accuracy is None else self.accuracy.as_dict()
        return about | {"verb": run.verb} | {key: row.get(key) for key in keys} | {"accuracy": accuracy}

    def _said(self, key: str) -> list[str]:
        return list(dict.fromkeys(str(row[key]) for row in self.run.rows if row.get(key)))


def listed(store: Store, runs: Iterable[Run]) -> list[ListedRun]:
    """Return runs and single calls with what the store knows of them by now."""
    runs = list(runs)
    states = store.results.statuses(list(dict.fromkeys(cell for run in runs for cell in run.cells)))
    with store.database.read() as connection:
        states |= {cell: "abandoned" for cell in abandoned(connection) if cell in states}
    return [
        ListedRun(
            run,
            {cell: states[cell] for cell in run.cells if cell in states},
            answered_rows(store, run)[0].summary() if run.verb == "train" else None,
        )
        for run in runs
    ]
