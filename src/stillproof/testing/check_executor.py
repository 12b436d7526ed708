"""The contract of an executor: it finishes a plan of small cells, whatever they come to."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stillproof.core.components import executors
from stillproof.data.load import data_root
from stillproof.run.cell import Cell
from stillproof.run.enter import enter
from stillproof.run.executor import Executor, Work
from stillproof.run.plan import Planner
from stillproof.run.stage import Options
from stillproof.store.plans import ENDED
from stillproof.store.store import Store, open_store
from stillproof.suites.requests import distilled, real_images, trained
from stillproof.testing.checks import Result, need, run_checks

LONGEST = 300.0  # seconds that submitted workers may take


def check_executor(name: str) -> list[Result]:
    """Run the contract on random images of scikit-learn's digits; engines that are elsewhere are not asked."""
    checks = {"is a frozen dataclass below Executor, with a summary": lambda: _is_executor(name)}
    if not executors.get(name).submits:
        checks |= {
            "finishes every cell, and shows how they stand": lambda: _finishes(name),
            "does nothing where nothing is left": lambda: _leaves_alone_what_is_done(name),
            "ends at a failure, if it is to": lambda: _ends_at_a_failure(name),
        }
    return run_checks("executor", name, checks)


def _is_executor(name: str) -> None:
    cls: Any = executors.get(name)
    need(issubclass(cls, Executor), f"{cls.__name__} is not a subclass of stillproof.plugin.Executor")
    frozen = dataclasses.is_dataclass(cls) and vars(cls)["__dataclass_params__"].frozen
    need(frozen, f"{cls.__name__} is not a frozen dataclass")
    need(bool(executors.entry(name).summary), "it says nothing of what it does: give its class a docstring")


@contextmanager
def work_for(seeds: int) -> Iterator[tuple[Work, list[dict[str, str]]]]:
    """Yield work on a store of its own, and a list that takes what is shown of it."""
    with tempfile.TemporaryDirectory() as folder, open_store(str(Path(folder, "s.db"))) as store:
        planner = Planner(data_root(None))
        for seed in range(seeds):
            made = distilled(real_images("digits"), "random", 1, seed)
            planner.plan(trained(made, network="convnet-1:width=2", recipe="smoke", seed=seed))
        shown: list[dict[str, str]] = []
        yield _work(store, list(planner.cells.values()), shown, stop_at_failure=False), shown


def _work(store: Store, cells: list[Cell], shown: list[dict[str, str]], *, stop_at_failure: bool) -> Work:
    options = Options(store.url, data_root(None), "cpu")
    return Work(store, enter(store, cells), cells, options, [], lambda s, *_: shown.append(s), stop_at_failure)


def _finishes(name: str) -> None:
    with work_for(3) as (work, shown):
        executors.build(name).execute(work)
        states = work.store.plans.statuses(work.plan)
        need(set(states.values()) == {"done"}, f"cells are left: {states}")
        need(bool(shown), "it never showed how the work stands: call work.watch")


def _leaves_alone_what_is_done(name: str) -> None:
    with work_for(1) as (work, _):
        executors.build(name).execute(work)
        before = work.store.results.get_many([cell.id for cell in work.cells])
        began = time.monotonic()
        executors.build(name).execute(work)
        need(work.store.results.get_many(list(before)) == before, "it computed again what was done")
        need(time.monotonic() - began < LONGEST, "it took as long as if something had been left")


def _ends_at_a_failure(name: str) -> None:
    with work_for(2) as (work, _):
        first = work.cells[0]
        claimed = work.store.claims.claim([first.id], "the contract", 60.0)
        need(claimed == first.id, "the store is not as it was entered")
        work.store.claims.fail(first.id, "the contract", "it was made to fail")
        executors.build(name).execute(dataclasses.replace(work, stop_at_failure=True))
        states = work.store.plans.statuses(work.plan)
        need("running" not in states.values(), "what it held was not given back")
        need(any(state not in ENDED for state in states.values()), "it went on after a failure")
