"""A session: what the command line does, for people who write Python."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from stillproof.answers import Made, Score
from stillproof.core.components import networks, recipes, suites
from stillproof.core.errors import BadInput, CellFailed, DataMissing
from stillproof.core.plugins import Plugin, import_entry_points, index_entry_points, load_plugins
from stillproof.core.presets import Scale, preset_params
from stillproof.core.spec import Json
from stillproof.core.types import Selection
from stillproof.data.load import data_root, load, source
from stillproof.importers.checkpoints import read_model
from stillproof.importers.import_model import ImportedModel, write_model
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import ImportedSet, read_sets, write_sets
from stillproof.nets.home import HOME
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run
from stillproof.report.tables.table import Table
from stillproof.run.cell import Cell
from stillproof.run.estimate import Estimate, Here, estimate, here
from stillproof.run.execute import enter, execute
from stillproof.run.executor import OnChange, Work
from stillproof.run.executors.process_count import workers_for
from stillproof.run.forecast import Forecast, forecast
from stillproof.run.plan import Planner
from stillproof.run.stage import Options, answer_of, default_device
from stillproof.score.stats import summarise_accuracies
from stillproof.sets.own_recipe import recipe_on
from stillproof.sets.read import check_fits, read_set
from stillproof.sets.usual_recipes import DEFAULT_RECIPE
from stillproof.store.store import Store, open_store
from stillproof.suites.requests import Heldout, Part, Request, distilled, real_images, selected, snapshot, trained
from stillproof.train.replay import check_replay

log = logging.getLogger("stillproof")

HELDOUT_SEEN = "the distilled set may have been made from held-out images, so the choice of the epoch may be biased"


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
        before = self.execute(planner)
        result = answer_of(cell.id, self.store)
        return Made(
            artifact=result["artifact"],
            name=result["name"],
            path=self.store.artifacts.folder(result["artifact"]),
            cell=cell.id,
            cached=before.get(cell.id) == "done",
            result=result,
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
        recipe = recipe or own
        wanted = [selected(trained(on, network, recipe, seed, part), selection) for seed in range(seeds)]
        cells = [planner.plan(request).id for request in wanted]
        self.execute(planner)
        dataset = planner.images(on).dataset
        records = self.store.results.get_many(cells)
        results = [records[cell].result or {} for cell in cells]
        accuracies = [result["accuracy"] for result in results]
        models = [result["model"] for result in results]
        return Score(
            accuracy=summarise_accuracies(accuracies, results[0]["n_test"]),
            per_seed=accuracies,
            models=models,
            dataset=dataset,
            network=planner.names.network_name(network, planner.names.data(dataset, "test").info),
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
        read = read_sets(Path(path), info, dataset, options or ImportOptions())
        return write_sets(
            self.store, read, info, dataset, lambda variant: self._whitening(dataset, variant)
        ), read.found

    def import_model(self, path: Path | str, dataset: str, network: str = "") -> ImportedModel:
        """Take over somebody's checkpoint; ``network`` is needed where its weights do not tell it."""
        model = read_model(Path(path), source(dataset).info, network)
        return write_model(self.store, model, Path(path).stem)

    def answer(self, request: Request) -> Json:
        """Return the answer to a question of any stage, computed if the store does not have it."""
        planner = Planner(self.root, self.device)
        cell = planner.plan(request)
        self.execute(planner)
        return answer_of(cell.id, self.store)

    def plan_suite(self, suite: str, options: Mapping[str, Any]) -> tuple[Planner, list[Json], Json]:
        """Plan a suite; return the planner, the table's rows and the resolved configuration.

        The preset of ``options["scale"]`` (``quick`` without one) gives what the options leave open.
        """
        preset = preset_params(suites.get(suite), str(options.get("scale", "quick")), "", 1, suites.entry(suite))
        question = suites.build(suite, {**preset, **options})
        planner = Planner(self.root, self.device)
        rows = planner.rows(question.rows())
        if planner.left_out and not rows:
            raise DataMissing(f"nothing is left to ask: {planner.left_out[0]}")
        for sentence in planner.left_out:
            log.warning("%s", sentence)
        return planner, rows, suites.spec(question).as_dict()["params"]

    def run_suite(self, suite: str, options: Mapping[str, Any]) -> dict[str, str]:
        """Run a suite; return the status of each of its cells."""
        planner, rows, config = self.plan_suite(suite, options)
        self.store.results.save_run(suite, config, rows)
        self.execute(planner, must_succeed=False)
        return self.store.results.statuses(list(planner.cells))

    def table(self, suite: str) -> Table:
        """Return the first table of a suite's newest run; many suites have only one."""
        return self.tables(suite)[0]

    def tables(self, suite: str) -> list[Table]:
        """Return all tables of a suite's newest run, from whatever has been computed so far."""
        return report_of(self.store, newest_run(self.store, suite)).tables()

    def estimate(self, planner: Planner) -> Estimate:
        """Return what the rest of a plan will cost."""
        return estimate(self.store, list(planner.cells.values()), self._here(planner))

    def forecast(self, suite: str, options: Mapping[str, Any], *, speed: float | None = None) -> Forecast:
        """Say what a suite would cost, here and on a machine of ``speed`` operations per second; compute nothing."""
        planner, rows, config = self.plan_suite(suite, options)
        return forecast(self.store, planner, rows, suite, config, self._here(planner), speed)

    def _here(self, planner: Planner) -> Here:
        status = self.store.results.statuses(list(planner.cells))
        return here(self.store, self.device, self._workers(list(planner.cells.values()), status))

    def execute(self, planner: Planner, *, must_succeed: bool = True) -> dict[str, str]:
        """Compute what the store does not know yet; return the status that each cell had before."""
        cells = list(planner.cells.values())
        before = enter(self.store, cells)
        before |= dict.fromkeys(self.store.reopen_damaged([cell.id for cell in cells]), "pending")
        if all(before.get(cell.id) in ("done", "unsupported") for cell in cells):
            return before
        options = Options(self.store.url, self.root, self.device, None, self.checkpoint_seconds)
        if self.device == "cpu":
            log.info("computing on the CPU: no GPU was found.")
        watch = self._on_plan(planner)
        execute(Work(self.store, cells, options, self.plugins, watch), self._workers(cells, before))
        if must_succeed:
            self._raise_first_failure(planner)
        return before

    def _workers(self, cells: Sequence[Cell], status: Mapping[str, str]) -> int:
        """Return how many processes compute what is left of a plan."""
        return self.workers or workers_for([cell for cell in cells if status.get(cell.id) != "done"], self.device)

    def _whitening(self, dataset: str, variant: str) -> str:
        return str(self.answer(Request("zca", dataset=dataset, variant=variant))["artifact"])

    def _raise_first_failure(self, planner: Planner) -> None:
        records = self.store.results.get_many(list(planner.cells))
        for cell in planner.cells.values():  # in order of need, so that the cause comes before its consequences
            record = records[cell.id]
            if record.status != "done":
                reason = (record.error or "it was not computed").splitlines()[0]
                raise CellFailed(f"{cell.label} ended as {record.status}: {reason}")
