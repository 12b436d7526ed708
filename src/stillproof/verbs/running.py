"""Suites that a session plans and runs."""

from __future__ import annotations

import dataclasses
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from stillproof.answers import RunStates
from stillproof.core.components import suites
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.presets import preset_params
from stillproof.core.spec import Json
from stillproof.report.merged import merged_among
from stillproof.run.attacks_twice import attacked_in, refuse_attacks_twice
from stillproof.run.cell import Cell
from stillproof.run.cost_cuts import Cut
from stillproof.run.enter import enter_round
from stillproof.run.executor import Work
from stillproof.run.forecast import Forecast
from stillproof.run.forecast_suite import forecast_suite
from stillproof.run.plan import Planner
from stillproof.run.shards import shard_of
from stillproof.run.sharing import sharing_of
from stillproof.suite_methods import alone_in_size, as_written, in_words, near_tests, with_sets
from stillproof.suites.requests import at_most
from stillproof.verbs.attack_set_finder import with_attacks
from stillproof.verbs.engine import EnteredPlan
from stillproof.verbs.importing import Importing
from stillproof.verbs.sharding import narrowed, shard_sentences

log = logging.getLogger("stillproof")

Trust = Literal["all", "own"]


class RunWords(TypedDict, total=False):
    """What both ``run_suite`` and ``enter_run`` take by name."""

    name: str | None
    note: str | None
    only_matching: str | None
    stop_at_failure: bool
    allow_test_images: bool
    trust: Trust


@dataclass(frozen=True)
class AskedRun:
    """What a run asks, as ``run_suite`` takes it; a worker may have to plan it again."""

    suite: str
    options: Mapping[str, Any]
    only_matching: str | None = None
    allow_test_images: bool = False
    trust: Trust = "all"
    stop_at_failure: bool = False
    shard: str | None = None

    @property
    def part(self) -> str:
        """Return which of the run's cells are asked for; nothing for all."""
        of = f" of {self.only_matching}" if self.only_matching else ""
        return f"shard {self.shard}{of}" if self.shard else self.only_matching or ""


@dataclass(frozen=True)
class EnteredRun:
    """A run that was planned: what it asks, its number and that of its plan, its rows, and what was there before."""

    asked: AskedRun
    run: int
    plan: int
    planner: Planner
    rows: list[Json]
    shared: dict[str, tuple[int, int]]


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
        self,
        suite: str,
        options: Mapping[str, Any],
        only_matching: str | None,
        allow_test_images: bool,
        *,
        unanswered: bool = False,
    ) -> tuple[Planner, list[Json], Any]:
        """Plan a suite; ``unanswered``, as if the store knew no answer yet."""
        asked = with_sets(self, self._asked(suite, options), allow_test_images=allow_test_images)
        return self._cells_of(with_attacks(self.store, asked), only_matching, unanswered=unanswered)

    def _cells_of(
        self, question: Any, only_matching: str | None, *, unanswered: bool = False
    ) -> tuple[Planner, list[Json], Any]:
        """Plan a question in which every set is known; it has the same cells whatever has come into the store since."""
        planner = Planner(self.root, self.device) if unanswered else self._planner()
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
        self,
        suite: str,
        options: Mapping[str, Any],
        only_matching: str | None,
        allow_test_images: bool,
        *,
        unanswered: bool = False,
    ) -> tuple[Planner, list[Json], Any]:
        """Plan, and say what people should know of the plan."""
        given = (suite, options, only_matching, allow_test_images)
        planner, rows, question = self._planned(*given, unanswered=unanswered)
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
        shard: str | None = None,
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
            shard: As in ``3/40``: only the cells of this shard are computed, and what they need. ``shared/40`` are
                those that several shards need.
        """
        asked = AskedRun(suite, options, only_matching, allow_test_images, trust, stop_at_failure, shard)
        entered = self._begin_run(asked, name, note)
        planner = self._finish(
            entered.planner,
            lambda: self._planned_again(entered.asked),
            must_succeed=False,
            stop_at_failure=stop_at_failure,
            entered=EnteredPlan(entered.plan, name or str(entered.run)),
        )
        results = self.store.results
        sharing = sharing_of(entered.rows, planner.cells, results.seconds_of)
        return RunStates(entered.run, results.statuses(list(planner.cells)), entered.shared, sharing)

    def _begin_run(self, asked: AskedRun, name: str | None, note: str | None) -> EnteredRun:
        """Plan a run, and keep what it asks and what workers need to know of it."""
        if asked.trust == "own":
            self._reopen_merged(lambda: self._planned_as(asked)[0])
        shard = shard_of(asked.shard) if asked.shard else None
        told = (asked.suite, asked.options, asked.only_matching, asked.allow_test_images)
        planner, rows, question = self._told(*told, unanswered=shard is not None)
        if shard is not None:
            dealt = narrowed(planner, rows, shard)
            for sentence in shard_sentences(shard, dealt, planner, self.store, self._here(planner)):
                log.info("%s.", sentence)
        params: Json = suites.spec(question).as_dict()["params"]
        number = self.store.results.save_run(asked.suite, as_written(params), rows, name=name, note=note)
        whole = dataclasses.replace(asked, options=params)
        hashes = self.store.plugins.put(self.plugins)
        plan = self.store.plans.begin(number, asked.part, dataclasses.asdict(whole), hashes)
        return EnteredRun(whole, number, plan, planner, rows, self._shared(planner))

    def _planned_again(self, asked: AskedRun) -> Planner:
        """Plan what a run asks, which was planned before, with the answers that there are by now."""

        def plan() -> Planner:
            question = self._asked(asked.suite, asked.options)
            return self._narrowed(asked, self._cells_of(question, asked.only_matching, unanswered=bool(asked.shard)))[0]

        if asked.trust == "own":
            self._reopen_merged(plan)
        return plan()

    def _planned_as(self, asked: AskedRun) -> tuple[Planner, list[Json], Any]:
        given = (asked.suite, asked.options, asked.only_matching, asked.allow_test_images)
        return self._narrowed(asked, self._planned(*given, unanswered=bool(asked.shard)))

    def _narrowed(self, asked: AskedRun, planned: tuple[Planner, list[Json], Any]) -> tuple[Planner, list[Json], Any]:
        """Narrow a plan to its shard, if only that is asked for."""
        if asked.shard:
            narrowed(planned[0], planned[1], shard_of(asked.shard))
        return planned

    def enter_run(
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
        """Plan a suite as ``run_suite`` does, for workers to compute; return the state of each of its cells.

        If this session has an executor that submits workers, it submits them.
        """
        asked = AskedRun(suite, options, only_matching, allow_test_images, trust, stop_at_failure)
        entered = self._begin_run(asked, name, note)
        enter_round(self.store, entered.planner, entered.plan)
        if self.executor is not None and self.executor.submits:
            called, cells = name or str(entered.run), entered.planner.ready()
            self.executor.execute(
                Work(self.store, entered.plan, cells, self.options, self.plugins, lambda *_: None, run=called)
            )
        return RunStates(entered.run, self.store.results.statuses(list(entered.planner.cells)), entered.shared)

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
