"""A session: what the command line does, for people who write Python."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillproof.answers import Made, Score
from stillproof.contenders import find
from stillproof.core.components import networks, recipes, suites
from stillproof.core.errors import BadInput, CellFailed, DataMissing
from stillproof.core.plugins import Plugin, import_entry_points, index_entry_points, load_plugins
from stillproof.core.presets import Scale, preset_params
from stillproof.core.spec import Json
from stillproof.core.types import Selection
from stillproof.core.weight import weight_of
from stillproof.data.load import data_root, load, source
from stillproof.importers.checkpoints import read_model
from stillproof.importers.import_model import ImportedModel, write_model
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import ImportedSet, read_sets, read_tensors, write_sets
from stillproof.importers.tensor_set import TensorSpace
from stillproof.importers.with_teachers import with_teachers
from stillproof.nets.home import HOME
from stillproof.report.by_class import ClassReport, class_report
from stillproof.report.compare.comparison import compared
from stillproof.report.compare.table import Comparisons
from stillproof.report.failures import explained
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run, trained_rows
from stillproof.report.tables.table import Table
from stillproof.run.cell import Cell
from stillproof.run.estimate import Estimate, Here, estimate, here
from stillproof.run.execute import enter, execute
from stillproof.run.executor import OnChange, Work
from stillproof.run.executors.process_count import workers_for
from stillproof.run.forecast import Forecast, forecast
from stillproof.run.only import only
from stillproof.run.plan import Planner
from stillproof.run.stage import Options, answer_of, default_device
from stillproof.score.by_class import class_scores
from stillproof.score.stats import summarise_accuracies
from stillproof.sets.own_recipe import recipe_on
from stillproof.sets.read import check_fits, read_set
from stillproof.sets.teachers import checked_teachers
from stillproof.sets.usual_recipes import DEFAULT_RECIPE
from stillproof.store.records import Run
from stillproof.store.store import Store, open_store
from stillproof.suite_methods import as_written, in_words, with_sets
from stillproof.suites.fixed_set import HELDOUT_SEEN
from stillproof.suites.requests import Heldout, Part, Request, distilled, real_images, selected, snapshot, trained
from stillproof.train.replay import check_replay

if TYPE_CHECKING:
    from torch import Tensor

log = logging.getLogger("stillproof")

NOT_TRIED = "it was not computed"


def _unwatched(status: dict[str, str], shares: dict[str, float]) -> None:
    """Show nothing."""


class Session:
    """A store, a data folder and a way to compute: distil, train and run suites as the command line does."""

    def __init__(
        self,
        store: str | None = None,
        data: str | None = None,
        *,
        workers: int | None = 1,
        plugins: Sequence[Plugin] = (),
        device: str | None = None,
        on_plan: Callable[[Planner], OnChange] | None = None,
        checkpoint_seconds: float = 20.0,
    ) -> None:
        """Load plug-ins; ``on_plan`` is told of each plan and returns what watches it.

        ``workers`` processes compute; without a number, as many as are worthwhile for a plan.
        """
        index_entry_points()
        import_entry_points()
        self.plugins = load_plugins(plugins)
        self._store = store
        self.root = data_root(data)
        self.workers = workers
        self.device = device or default_device()
        self.checkpoint_seconds = checkpoint_seconds
        self._on_plan = on_plan or (lambda _: _unwatched)

    @cached_property
    def store(self) -> Store:
        """Return the store, which is opened, and made if need be, when something asks for it."""
        return open_store(self._store)

    def close(self) -> None:
        """Close the store, if it was opened."""
        if "store" in vars(self):
            self.store.close()

    def distill(
        self,
        dataset: str,
        method: str,
        ipc: int,
        *,
        seed: int = 0,
        network: str = HOME,
        scale: Scale = "paper",
        part: Part = "train",
        snapshots: Sequence[int] = (),
    ) -> Made:
        """Make a distilled set; ``method`` may carry parameters, as in ``dm:steps=100``."""
        planner = Planner(self.root, self.device)
        request = distilled(real_images(dataset, part), method, ipc, seed, network, scale)
        cell = planner.plan(request)
        kept = {step: planner.plan(snapshot(request, step)).id for step in snapshots}
        about = {"dataset": dataset, "method": method, "ipc": ipc, "seed": seed}
        self.store.results.save_run("", {}, [about | {"cells": [cell.id, *kept.values()]}], verb="distill")
        before = self.execute(planner)
        result = answer_of(cell.id, self.store)
        made = read_set(self.store, result["artifact"])
        return Made(
            artifact=result["artifact"],
            name=result["name"],
            path=self.store.artifacts.folder(result["artifact"]),
            cell=cell.id,
            cached=before.get(cell.id) == "done",
            result=result,
            weight=weight_of(made.images, made.labels),
            snapshots={step: answer_of(name, self.store)["artifact"] for step, name in kept.items()},
        )

    def train(
        self,
        on: Request,
        *,
        network: str = HOME,
        recipe: str | None = None,
        seeds: int = 5,
        selection: Selection = "last",
    ) -> Score:
        """Train ``seeds`` networks and summarise their test accuracy; without a recipe, by the distilled set's own."""
        if seeds < 1:
            raise BadInput(f"seeds = {seeds} is not allowed: at least 1 is needed.")
        heldout = selection == "heldout"
        part: Heldout | None = "heldout" if heldout else None
        if heldout and on.stage == "data":
            on = on.but(part="fit")
        planner = Planner(self.root, self.device)
        seen, own = heldout and on.stage == "distill" and on.data.params.get("part") != "fit", DEFAULT_RECIPE
        if on.stage == "artifact":
            stored = read_set(self.store, on.params["artifact"])
            fitting = load(on.params["dataset"], "test", self.root).info
            check_fits(stored, fitting)
            # Only a set made without the held-out images is sure not to have seen them.
            seen = heldout and "/fit@" not in stored.card.data_id
            own = recipe_on(stored, networks.build(planner.names.network_name(network, fitting)))
            check_replay(stored.labels, recipes.build(recipe or own))
            checked_teachers(stored, self.store, on.params["dataset"], fitting)
        recipe = recipe or own
        wanted = [selected(trained(on, network, recipe, seed, part), selection) for seed in range(seeds)]
        cells = [planner.plan(request).id for request in wanted]
        counted = [planner.ask("by-class", of=request).id for request in wanted]
        dataset = planner.images(on).dataset
        trained_as = planner.names.network_name(network, planner.names.data(dataset, "test").info)
        about = {"dataset": dataset, "method": self._name_of(on), "network": trained_as, "recipe": recipe}
        self.store.results.save_run("", {}, [about | {"selection": selection, "cells": cells}], verb="train")
        self.execute(planner)
        records = self.store.results.get_many(cells)
        results = [records[cell].result or {} for cell in cells]
        accuracies = [result["accuracy"] for result in results]
        models = [result["model"] for result in results]
        return Score(
            accuracy=summarise_accuracies(accuracies, results[0]["n_test"]),
            per_seed=accuracies,
            by_class=class_scores([answer_of(cell, self.store) for cell in counted]),
            models=models,
            dataset=dataset,
            network=trained_as,
            recipe=recipe,
            selection=selection,
            points=results[0]["points"],
            n_test=results[0]["n_test"],
            caveats=[HELDOUT_SEEN] if seen else [],
        )

    def import_sets(
        self, path: Path | str, dataset: str, options: ImportOptions | None = None
    ) -> tuple[list[ImportedSet], list[str]]:
        """Take over somebody's distilled sets; return them with what was found out about the file.

        Nothing is written unless all of them can be trained on. Sets in ZCA space refer to the whitening of the real
        training images, which is computed here.
        """
        info = source(dataset).info
        options = options or ImportOptions()
        read = read_sets(Path(path), info, dataset, options)
        if options.teachers:
            read = with_teachers(read, options.teachers, self.store, info)
        return write_sets(
            self.store, read, info, dataset, lambda variant: self._whitening(dataset, variant)
        ), read.found

    def import_tensors(
        self, images: Tensor, labels: Tensor, dataset: str, space: TensorSpace = "pixels"
    ) -> ImportedSet:
        """Take over somebody's own tensors; ``stillproof.evaluate`` says which ones."""
        info = source(dataset).info
        read = read_tensors(images, labels, info, dataset, space)
        (made,) = write_sets(self.store, read, info, dataset, lambda variant: self._whitening(dataset, variant))
        return made

    def import_model(self, path: Path | str, dataset: str, network: str = "") -> ImportedModel:
        """Take over somebody's checkpoint; ``network`` is needed where its weights do not tell it."""
        model = read_model(Path(path), source(dataset).info, network)
        return write_model(self.store, model, Path(path).stem)

    def answer(self, request: Request) -> Json:
        """Return the answer to a question of any stage, computed if the store does not have it."""
        return self.answers([request])[0]

    def answers(self, requests: Sequence[Request]) -> list[Json]:
        """Return the answers to several questions, in their order."""
        planner = Planner(self.root, self.device)
        cells = [planner.plan(request).id for request in requests]
        self.execute(planner)
        return [answer_of(cell, self.store) for cell in cells]

    def compare(
        self,
        names: Sequence[str],
        *,
        network: str = HOME,
        recipe: str | None = None,
        seeds: int = 5,
        dataset: str | None = None,
        run: Run | None = None,
        sections: Collection[str] | None = None,
    ) -> Comparisons:
        """Say of every two sets, models or methods of a run whether they are different.

        Sets are trained on first, as ``train`` does with ``network``, ``recipe`` and ``seeds``; methods are those of
        ``run``, without one of the newest that has them, from whatever has been computed so far.
        """
        train = functools.partial(self.train, network=network, recipe=recipe, seeds=seeds)
        found = find(self, names, train, dataset=dataset, run=run, sections=sections)
        cells = [match.cells for match in found.matches]
        answers = self.answers([Request("compare", first=first, second=second) for first, second in cells])
        return Comparisons(found.of, found.run, compared(found.matches, answers), found.notes)

    def plan_suite(
        self, suite: str, options: Mapping[str, Any], only_matching: str | None = None
    ) -> tuple[Planner, list[Json], Json]:
        """Plan a suite; return the planner, the table's rows and the resolved configuration.

        The preset of ``options["scale"]`` (``quick`` without one) gives what the options leave open. Methods may be
        distillers, and sets that are there already: the name, id or folder of an artifact, what ``distill`` and the
        imports give, or somebody's file, which is then imported. The rows are those of the whole suite, even if only
        the cells that match a pattern are planned.
        """
        planner, rows, question = self._planned(suite, options, only_matching)
        return planner, rows, as_written(suites.spec(question).as_dict()["params"])

    def _planned(
        self, suite: str, options: Mapping[str, Any], only_matching: str | None
    ) -> tuple[Planner, list[Json], Any]:
        preset = preset_params(suites.get(suite), str(options.get("scale", "quick")), "", 1, suites.entry(suite))
        question = with_sets(self, suites.build(suite, {**preset, **in_words(options)}))
        planner = Planner(self.root, self.device)
        rows = planner.rows(question.rows())
        if planner.left_out and not rows:
            raise DataMissing(f"nothing is left to ask: {planner.left_out[0]}")
        for sentence in planner.left_out:
            log.warning("%s", sentence)
        if only_matching is not None:
            planner.cells = only(planner.cells, rows, only_matching)
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
    ) -> dict[str, str]:
        """Run a suite; return the status of each of its cells.

        Args:
            suite: The suite.
            options: Its parameters, as in ``plan_suite``.
            name: What to call the run, so that it is found again.
            note: A sentence to remember with it.
            only_matching: A pattern: only the cells whose method or label matches are computed, and what they need.
            stop_at_failure: Whether the first cell that fails ends the run.
        """
        planner, rows, config = self.plan_suite(suite, options, only_matching)
        self.store.results.save_run(suite, config, rows, name=name, note=note)
        self.execute(planner, must_succeed=False, stop_at_failure=stop_at_failure)
        return self.store.results.statuses(list(planner.cells))

    def table(self, suite: str) -> Table:
        """Return the first table of a suite's newest run; many suites have only one."""
        return self.tables(suite)[0]

    def by_class(self, run: Run, sections: Collection[str] | None = None) -> ClassReport:
        """Return the accuracies of a run for each class of its data sets, of whatever has been computed so far."""
        rows = trained_rows(self.store, run, sections)
        done = self.store.results.statuses([cell for row in rows for cell in row["cells"]])
        cells = [cell for cell, status in done.items() if status == "done"]
        answers = self.answers([Request("by-class", of=cell) for cell in cells])
        return class_report(run, rows, dict(zip(cells, answers, strict=True)))

    def tables(self, suite: str) -> list[Table]:
        """Return all tables of a suite's newest run, from whatever has been computed so far."""
        return report_of(self.store, newest_run(self.store, suite)).tables()

    def estimate(self, planner: Planner) -> Estimate:
        """Return what the rest of a plan will cost."""
        return estimate(self.store, list(planner.cells.values()), self._here(planner))

    def forecast(
        self,
        suite: str,
        options: Mapping[str, Any],
        *,
        speed: float | None = None,
        only_matching: str | None = None,
    ) -> Forecast:
        """Say what a suite would cost, here and on a machine of ``speed`` operations per second; compute nothing."""
        planner, rows, question = self._planned(suite, options, only_matching)
        config = suites.spec(question).as_dict()["params"]
        return forecast(self.store, planner, rows, suite, config, self._here(planner), speed)

    def _here(self, planner: Planner) -> Here:
        status = self.store.results.statuses(list(planner.cells))
        return here(self.store, self.device, self._workers(list(planner.cells.values()), status))

    def execute(self, planner: Planner, *, must_succeed: bool = True, stop_at_failure: bool = False) -> dict[str, str]:
        """Compute what the store does not know yet; return the status that each cell had before."""
        cells = list(planner.cells.values())
        before = enter(self.store, cells)
        before |= dict.fromkeys(self.store.reopen_damaged([cell.id for cell in cells]), "pending")
        if all(before.get(cell.id) in ("done", "unsupported") for cell in cells):
            return before
        options = Options(self.store.url, self.root, self.device, None, self.checkpoint_seconds)
        if self.device == "cpu" and any(cell.flops and before.get(cell.id) != "done" for cell in cells):
            log.info("computing on the CPU: no GPU was found.")
        watch = self._on_plan(planner)
        work = Work(self.store, cells, options, self.plugins, watch, stop_at_failure)
        execute(work, self._workers(cells, before))
        if must_succeed:
            self._raise_first_failure(planner)
        return before

    def _workers(self, cells: Sequence[Cell], status: Mapping[str, str]) -> int:
        """Return how many processes compute what is left of a plan."""
        return self.workers or workers_for([cell for cell in cells if status.get(cell.id) != "done"], self.device)

    def _name_of(self, on: Request) -> str:
        """Return what people call the images of a single training."""
        if on.stage != "artifact":
            return str(on.params.get("dataset") or on.params.get("method"))
        artifact: str = on.params["artifact"]
        return self.store.names_of([artifact], "distilled").get(artifact) or artifact[:12]

    def _whitening(self, dataset: str, variant: str) -> str:
        return str(self.answer(Request("zca", dataset=dataset, variant=variant))["artifact"])

    def _raise_first_failure(self, planner: Planner) -> None:
        records = self.store.results.get_many(list(planner.cells))
        for cell in planner.cells.values():  # in order of need, so that the cause comes before its consequences
            record = records[cell.id]
            if record.status != "done":
                raise CellFailed(f"{cell.label} ended as {record.status}: {explained(record.error or NOT_TRIED)}")
