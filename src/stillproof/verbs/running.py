"""Suites that a session plans and runs."""

from __future__ import annotations

import dataclasses
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from stillproof.answers import RunStates
from stillproof.core.components import suites
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.presets import preset_params
from stillproof.core.spec import Json
from stillproof.report.merged import merged_among
from stillproof.run.attacks_twice import attacked_in, refuse_attacks_twice
from stillproof.run.cell import Cell
from stillproof.run.cost_cuts import Cut
from stillproof.run.forecast import Forecast
from stillproof.run.forecast_suite import forecast_suite
from stillproof.run.plan import Planner
from stillproof.run.sharing import sharing_of
from stillproof.suite_methods import alone_in_size, as_written, in_words, near_tests, with_sets
from stillproof.suites.requests import at_most
from stillproof.verbs.attack_set_finder import with_attacks
from stillproof.verbs.importing import Importing

log = logging.getLogger("stillproof")

Trust = Literal["all", "own"]


class Running(Importing):
    """Plans and runs suites."""

    def plan_suite(
        self,
        suite: str,
        options: Mapping[str, Any],
        only_matching: str | None = None,
        *,
        allow_test_images: bool = False,
    ) -> tuple[Planner, list[Json], Json]:
        """Plan a suite; return the planner, the table's rows and the resolved configuration.

        The preset of ``options["scale"]`` (``quick`` without one) gives what the options leave open. Methods may be
        distillers, and existing sets: the name, id or folder of an artifact, what ``distill`` and the imports give,
        tensors, or a third-party file, which is then imported. The rows are those of the whole suite, even if only the
        cells that match a pattern are planned.
        """
        planner, rows, question = self._told(suite, options, only_matching, allow_test_images)
        return planner, rows, as_written(suites.spec(question).as_dict()["params"])

    def _planned(
        self, suite: str, options: Mapping[str, Any], only_matching: str | None, allow_test_images: bool
    ) -> tuple[Planner, list[Json], Any]:
        asked = with_sets(self, self._asked(suite, options), allow_test_images=allow_test_images)
        question = with_attacks(self.store, asked)
        planner = self._planner()
        with at_most():
            wanted = question.rows()
        rows = planner.rows(wanted)
        refuse_attacks_twice(attacked_in(rows, planner.cells))
        if planner.left_out and not rows:
            raise DataMissing(f"nothing is left to ask: {planner.left_out[0]}")
        if only_matching is not None:
            planner.cells = cells_matching(planner.cells, rows, only_matching)
        return planner, rows, question

    def _asked(self, suite: str, options: Mapping[str, Any]) -> Any:
        """Return a suite as it is asked for: with the sets among its methods in the words that they were given in."""
        preset = preset_params(suites.get(suite), str(options.get("scale", "quick")), "", 1, suites.entry(suite))
        return suites.build(suite, {**preset, **in_words(self, options)})

    def _told(
        self, suite: str, options: Mapping[str, Any], only_matching: str | None, allow_test_images: bool
    ) -> tuple[Planner, list[Json], Any]:
        """Plan, and say what people should know of the plan."""
        planner, rows, question = self._planned(suite, options, only_matching, allow_test_images)
        for sentence in (*planner.left_out, *alone_in_size(rows), *near_tests(rows)):
            log.warning("%s", sentence)
        return planner, rows, question

    def run_suite(
        self,
        suite: str,
        options: Mapping[str, Any],
        *,
        name: str | None = None,
        note: str | None = None,
        only_matching: str | None = None,
        stop_at_failure: bool = False,
        allow_test_images: bool = False,
        trust: Trust = "all",
    ) -> RunStates:
        """Run a suite; return the state of each of its cells, and as ``run`` the number that the run is found by.

        Args:
            suite: The suite.
            options: Its parameters, as in ``plan_suite``.
            name: Name of the run, to find it again.
            note: Remark to keep with it.
            only_matching: A pattern: only the cells whose method or label matches are computed, and what they need.
            stop_at_failure: Whether the first cell that fails ends the run.
            allow_test_images: Whether sets of others that have test images among their own are let through; their rows
                are marked.
            trust: Whether answers that were merged from other stores stand (``all``), or are computed here together
                with those that rest on them (``own``).
        """

        def plan() -> Planner:
            return self._planned(suite, options, only_matching, allow_test_images)[0]

        if trust == "own":
            self._reopen_merged(plan)
        planner, rows, config = self.plan_suite(suite, options, only_matching, allow_test_images=allow_test_images)
        run = self.store.results.save_run(suite, config, rows, name=name, note=note)
        shared = self._shared(planner)
        planner = self._finish(
            planner,
            lambda: self._plan_again(plan, trust),
            must_succeed=False,
            stop_at_failure=stop_at_failure,
        )
        results = self.store.results
        sharing = sharing_of(rows, planner.cells, results.seconds_of)
        return RunStates(run, results.statuses(list(planner.cells)), shared, sharing)

    def _plan_again(self, plan: Callable[[], Planner], trust: Trust) -> Planner:
        """Plan with the answers that there are by now."""
        if trust == "own":
            self._reopen_merged(plan)
        return plan()

    def _reopen_merged(self, plan: Callable[[], Planner]) -> None:
        """Open again the cells of a plan whose answers were merged, and those that rest on them.

        What is asked depends on answers, so that it is planned anew without them. A merged set that is named by a
        person stays what it is: it is no part of the plan.
        """
        opened = set[str]()
        while True:
            planned = plan().cells
            behind = self.store.results.behind(list(planned))
            merged = merged_among(planned, {cell: asks for cell, asks in behind.items() if cell in planned})
            new = [cell for cell in merged if cell not in opened]
            if not new:
                return
            log.info("%d answers rest on those of other stores, and are computed here.", len(new))
            opened.update(self.store.claims.reopen(new, unsupported=True))

    def _shared(self, planner: Planner) -> dict[str, tuple[int, int]]:
        """Return, by stage, how many cells of a plan are in the store already, and how many there are."""
        states = self.store.results.statuses(list(planner.cells))
        stages = Counter(cell.stage for cell in planner.cells.values())
        done = Counter(cell.stage for cell in planner.cells.values() if states.get(cell.id) == "done")
        return {stage: (done[stage], total) for stage, total in stages.items()}

    def forecast(
        self,
        suite: str,
        options: Mapping[str, Any],
        *,
        speed: float | None = None,
        only_matching: str | None = None,
        allow_test_images: bool = False,
    ) -> Forecast:
        """Estimate what a suite costs, here and on a machine of ``speed`` operations per second; compute nothing."""
        planner, rows, question = self._told(suite, options, only_matching, allow_test_images)
        config: Json | None = suites.spec(question).as_dict()["params"]
        if only_matching is not None:
            config = None
            rows = [row | {"cells": [cell for cell in row["cells"] if cell in planner.cells]} for row in rows]
        found = forecast_suite(self.store, planner, rows, suite, config, self._here(planner), speed)
        given: Json = suites.spec(self._asked(suite, options)).as_dict()["params"]
        return dataclasses.replace(found, cuts=[_as_given(cut, given[cut.parameter]) for cut in found.cuts])


def _as_given(cut: Cut, given: Any) -> Cut:
    """Return a change of a parameter in the words that it was given in: a file by its path, a set by its name."""
    if not isinstance(cut.before, list) or len(given) != len(cut.before):  # one pool may be several sets
        before, after = (as_written({cut.parameter: value})[cut.parameter] for value in (cut.before, cut.after))
        return dataclasses.replace(cut, before=before, after=after)
    kept = [words for words, value in zip(given, cut.before, strict=True) if value in cut.after]
    return dataclasses.replace(cut, before=given, after=kept)


def cells_matching(cells: dict[str, Cell], rows: Sequence[Json], pattern: str) -> dict[str, Cell]:
    """Return the cells of the rows whose method matches, those whose label does, and what all of these need.

    A pattern matches whole words, as in ``dm``, ``'seed 0'`` or ``'train convnet-*'``, where ``*`` stands for any
    letters. A method also matches by its name alone, without its parameters.

    Raises:
        BadInput: Nothing matches.
    """
    words = re.compile(rf"(?<!\S){'.*'.join(map(re.escape, pattern.split('*')))}(?!\S)")
    by_method = [row for row in rows if _is(words, str(row.get("method", "")))]
    chosen = {cell for row in by_method for cell in row["cells"]}
    chosen |= {cell.id for cell in cells.values() if words.search(cell.label)}
    if not chosen:
        known = ", ".join(dict.fromkeys(str(row["method"]) for row in rows if row.get("method"))) or "none"
        raise BadInput(f"--only {pattern!r} matches no cell of this plan, whose methods are: {known}.")
    return with_needs(cells, chosen)


def with_needs(cells: dict[str, Cell], chosen: Iterable[str]) -> dict[str, Cell]:
    """Return the cells that are chosen, and what all of these need."""
    needed = set(chosen)
    for cell in reversed(cells.values()):  # a plan is in order of need, so whatever needs a cell is met before it
        if cell.id in needed:
            needed.update(cell.needs)
    return {name: cell for name, cell in cells.items() if name in needed}


def _is(words: re.Pattern[str], method: str) -> bool:
    return any(words.fullmatch(text) for text in (method, method.partition(":")[0]))
