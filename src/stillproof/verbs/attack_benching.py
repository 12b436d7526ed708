"""Comparisons of attacks, from a session."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stillproof.attack.base.norms import Norm
from stillproof.attack.bench.run import contestants
from stillproof.core.attack_warnings import warnings_in
from stillproof.core.context import Context
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.model_finder import GivenModel, find_model
from stillproof.report.attack_bench import BenchComparison, BenchLine
from stillproof.run.plan import Planner
from stillproof.run.trained_models import read_of_training
from stillproof.suites.requests import Request
from stillproof.verbs.importing import Importing


class AttackBenching(Importing):
    """Compares how strong attacks are."""

    def attack_bench(
        self,
        models: GivenModel | Sequence[GivenModel],
        dataset: str,
        *,
        norm: Norm = "Linf",
        attacks: Sequence[str] | None = None,
        limit: int | None = None,
        budget: int = 2000,
        eps: float | None = None,
        seed: int = 0,
        network: str = "",
    ) -> BenchComparison:
        """Compare how strong attacks of a norm are at equal numbers of passes.

        Args:
            models: One or several models, as ``attack`` takes them.
            dataset: The data set that they were trained for.
            norm: The norm of changes.
            attacks: Attacks to compare; by default all of ours and of the installed libraries.
            limit: Attack only the first so many test images; all by default.
            budget: The most passes, forward and backward together, of each image.
            eps: Radius to report robust accuracy at; by default the median of the best-known distances.
            seed: Seed of the attacks' random draws.
            network: The network of a third-party checkpoint, where it cannot be told from the weights.
        """
        given = [models] if isinstance(models, GivenModel) else list(models)
        if eps is not None and not eps > 0:
            raise BadInput(f"eps = {eps:g} is not allowed: a radius is above 0.")
        names = list(contestants(norm, Context(Seeds(0)))) if attacks is None else list(attacks)
        if not given or not names:
            raise BadInput("an attack-bench needs at least one model and one attack.")
        found = [find_model(self, model, dataset, network) for model in given]
        about = {"dataset": dataset, "norm": norm, "limit": limit, "budget": budget, "seed": seed}
        planner, asked = Planner(self.root, self.device), []
        for model in found:
            for name in names:
                cell = planner.plan(Request("attack-bench", model=model, attack=name, **about))
                asked.append((model.params.get("name") or cell.label.partition(" on ")[2], name, cell.id))
        row = {"dataset": dataset, "method": f"{norm} on {', '.join(dict.fromkeys(one[0] for one in asked))}"}
        cells = {"cells": [cell for _, _, cell in asked], "seed": seed}
        self.store.results.save_run("", {}, [row | cells], verb="attack-bench")
        self.execute(planner, may_be_unsupported=True)
        lines = [self._line(model, name, cell) for model, name, cell in asked]
        count = planner.cells[asked[0][2]].spec["images"]
        return BenchComparison(dataset, norm, budget, count, lines, eps)

    def _line(self, model: str, name: str, cell: str) -> BenchLine:
        record = self.store.results.get(cell)
        assert record is not None
        if record.result is None:
            return BenchLine(model, name, reason=(record.error or "").partition("\n")[0])
        found = read_of_training(self.store, record.result["outcomes"]).tensors["distances"]
        told = {key: record.result[key] for key in ("passes_per_image", "seconds")}
        warnings = list(warnings_in(record.result["notes"]).values())
        draws = record.result.get("draws", 0)
        return BenchLine(model, name, np.asarray(found, dtype=np.float64), **told, draws=draws, warnings=warnings)
