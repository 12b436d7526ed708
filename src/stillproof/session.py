"""A session: what the command line does, for people who write Python."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from stillproof.answers import Made, Score
from stillproof.core.components import recipes, suites
from stillproof.core.errors import BadInput, CellFailed
from stillproof.core.plugins import Plugin, import_entry_points, index_entry_points, load_plugins
from stillproof.core.presets import Scale, preset_params
from stillproof.core.spec import Json
from stillproof.core.types import Selection
from stillproof.data.load import data_root, load, source
from stillproof.importers.checkpoints import read_model
from stillproof.importers.import_model import ImportedModel, write_model
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import ImportedSet, read_sets, write_sets
from stillproof.report.runs import newest_run
from stillproof.report.suite_tables import tables_of
from stillproof.report.table import Table
from stillproof.report.tables import Line, accuracy_lines
from stillproof.run.cell import Cell
from stillproof.run.cost import Estimate, estimate
from stillproof.run.execute import OnChange, enter
from stillproof.run.plan import Planner
from stillproof.run.run_plan import run_plan
from stillproof.run.workers import workers_for
from stillproof.run.world import Options, answer_of, default_device
from stillproof.score.stats import summarise
from stillproof.sets.own_recipe import DEFAULT_RECIPE, recipe_reference
from stillproof.sets.read import check_fits, read_set
from stillproof.store.store import Store, open_store
from stillproof.suites.requests import (
    ArtifactRequest,
    DataRequest,
    DistillRequest,
    Heldout,
    Part,
    SelectRequest,
    TrainRequest,
    WhitenRequest,
)
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

        ``workers`` processes compute; without a number, as many as the work of a plan repays.
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
        network: str = "convnet-3",
        scale: Scale = "paper",
        part: Part = "train",
        snapshots: Sequence[int] = (),
    ) -> Made:
        """Make a distilled set; ``method`` may carry parameters, as in ``dm:steps=100``."""
        planner = Planner(self.root, self.device)
        cell = planner.plan(DistillRequest(DataRequest(dataset, part), method, ipc, seed, network, scale))
        before = self.execute(planner, snapshots=snapshots)
        result = answer_of(cell.id, self.store)
        absent = [step for step in snapshots if str(step) not in result["snapshots"]]
        if absent:
            steps = ", ".join(str(step) for step in absent)
            log.warning("no snapshot of step %s: this set was made before without, or has no such step.", steps)
        path = self.store.artifacts.folder(result["artifact"])
        return Made(result["artifact"], result["name"], path, cell.id, before.get(cell.id) == "done", result)

    def train(
        self,
        on: DataRequest | ArtifactRequest,
        *,
        network: str = "convnet-3",
        recipe: str | None = None,
        seeds: int = 5,
        selection: Selection = "last",
    ) -> Score:
        """Train ``seeds`` networks and summarise their test accuracy; without a recipe, by the distilled set's own."""
        if seeds < 1:
            raise BadInput(f"seeds = {seeds} is not allowed: at least 1 is needed.")
        heldout = selection == "heldout"
        part: Heldout | None = "heldout" if heldout else None
        if heldout and isinstance(on, DataRequest):
            on = DataRequest(on.dataset, "fit")
        seen, own = False, DEFAULT_RECIPE
        if isinstance(on, ArtifactRequest):
            distilled = read_set(self.store, on.artifact)
            check_fits(distilled, load(on.dataset, "test", self.root).info)
            # Only a set from the images that are not held out has surely not seen those that are.
            seen = heldout and "/fit@" not in distilled.card.data_id
            own = recipe_reference(distilled.recipe)
            check_replay(distilled.labels, recipes.build(recipe or own))
        recipe = recipe or own
        planner = Planner(self.root, self.device)
        wanted = [SelectRequest(TrainRequest(on, network, recipe, seed, part), selection) for seed in range(seeds)]
        cells = [planner.plan(request).id for request in wanted]
        self.execute(planner)
        records = self.store.results.get_many(cells)
        results = [records[cell].result or {} for cell in cells]
        accuracies = [result["accuracy"] for result in results]
        models = [result["model"] for result in results]
        return Score(
            accuracy=summarise(accuracies),
            per_seed=accuracies,
            models=models,
            dataset=on.dataset,
            network=network,
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

    def plan_suite(self, suite: str, options: Mapping[str, Any]) -> tuple[Planner, list[Json], Json]:
        """Plan a suite; return the planner, the table's rows and the resolved configuration.

        The preset of ``options["scale"]`` (``quick`` without one) gives what the options leave open.
        """
        preset = preset_params(suites.get(suite), str(options.get("scale", "quick")), "", 1)
        question = suites.build(suite, {**preset, **options})
        planner = Planner(self.root, self.device)
        rows = planner.rows(question.rows())
        return planner, rows, suites.spec(question).as_dict()["params"]

    def run_suite(self, suite: str, options: Mapping[str, Any]) -> dict[str, str]:
        """Run a suite; return the status of each of its cells."""
        planner, rows, config = self.plan_suite(suite, options)
        self.store.results.save_run(suite, config, rows)
        self.execute(planner, must_succeed=False)
        return self.store.results.statuses(list(planner.cells))

    def table(self, suite: str) -> list[Line]:
        """Return the table of a suite's newest run, from whatever has been computed so far."""
        return accuracy_lines(self.store, newest_run(self.store, suite))

    def tables(self, suite: str) -> list[Table]:
        """Return all tables of a suite's newest run, from whatever has been computed so far."""
        return tables_of(self.store, newest_run(self.store, suite))

    def estimate(self, planner: Planner) -> Estimate:
        """Return what the rest of a plan will cost."""
        cells = list(planner.cells.values())
        return estimate(self.store, cells, self._workers(cells, self.store.results.statuses(list(planner.cells))))

    def execute(self, planner: Planner, *, snapshots: Sequence[int] = (), must_succeed: bool = True) -> dict[str, str]:
        """Compute what the store does not know yet; return the status that each cell had before."""
        cells = list(planner.cells.values())
        before = enter(self.store, cells)
        before |= dict.fromkeys(self._reopen_damaged(cells), "pending")
        if all(before.get(cell.id) in ("done", "unsupported") for cell in cells):
            return before
        options = Options(self.store.url, self.root, self.device, None, self.checkpoint_seconds, frozenset(snapshots))
        if self.device == "cpu":
            log.info("computing on the CPU: no GPU was found.")
        watch = self._on_plan(planner)
        run_plan(self.store, cells, options, self._workers(cells, before), self.plugins, watch)
        if must_succeed:
            self._raise_first_failure(planner)
        return before

    def _workers(self, cells: Sequence[Cell], status: Mapping[str, str]) -> int:
        """Return how many processes compute what is left of a plan."""
        return self.workers or workers_for([cell for cell in cells if status.get(cell.id) != "done"], self.device)

    def _whitening(self, dataset: str, variant: str) -> str:
        planner = Planner(self.root, self.device)
        cell = planner.plan(WhitenRequest(DataRequest(dataset), variant))
        self.execute(planner)
        return str(answer_of(cell.id, self.store)["artifact"])

    def _reopen_damaged(self, cells: Sequence[Cell]) -> list[str]:
        """Put cells whose artifacts are gone back in line, and the choices that name their models."""
        damaged = self.store.reopen_damaged([cell.id for cell in cells])
        choices = [cell.id for cell in cells if cell.stage == "select" and set(cell.needs) & set(damaged)]
        self.store.claims.reopen(choices)
        return damaged + choices

    def _raise_first_failure(self, planner: Planner) -> None:
        records = self.store.results.get_many(list(planner.cells))
        for cell in planner.cells.values():  # in order of need, so that the cause comes before its consequences
            record = records[cell.id]
            if record.status != "done":
                reason = (record.error or "it was not computed").splitlines()[0]
                raise CellFailed(f"{cell.label} ended as {record.status}: {reason}")
