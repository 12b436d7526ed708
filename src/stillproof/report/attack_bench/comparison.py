"""Attacks beside each other, at the same number of passes: how near each comes to the best that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import Unsupported
from stillproof.core.spec import Json
from stillproof.report.attack_bench.curves import draw_robust_curves
from stillproof.report.attack_bench.table import bench_table
from stillproof.report.tables.table import Table
from stillproof.score.optimality import best_known, global_optimality, local_optimality
from stillproof.score.robust_curve import robust_curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class BenchLine:
    """What one attack does to one model.

    Args:
        model: The model's name.
        attack: The attack; ``adv-lib/fmn`` is a library's.
        distances: Size of the nearest change of each image: 0 if it was wrong before, infinite if none was found.
        passes_per_image: Mean number of passes, of images that were right.
        seconds: Time of all images, when it was computed.
        reason: Why there is no answer, if there is none.
    """

    model: str
    attack: str
    distances: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    passes_per_image: float | None = None
    seconds: float | None = None
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class BenchComparison:
    """All attacks of a norm on one or several models, on the same images, at the same number of passes.

    Args:
        dataset: Whose test images they are.
        norm: The norm of changes.
        budget: The most passes of each image.
        n: Number of images.
        lines: What each attack does to each model.
        eps: Radius at which robust accuracy is said; without a number, the median of each model's best-known distances,
            so that half of what is right is lost to the best attacks.
    """

    dataset: str
    norm: str
    budget: int
    n: int
    lines: Sequence[BenchLine] = field(repr=False)
    eps: float | None = None

    @property
    def models(self) -> list[str]:
        """Return the names of the models."""
        return list(dict.fromkeys(line.model for line in self.lines))

    def best(self, model: str) -> npt.NDArray[np.float64]:
        """Return the smallest distance of each image that any attack found."""
        return best_known([line.distances for line in self._told(model) if line.distances is not None])

    def eps_of(self, model: str) -> float:
        """Return the radius at which robust accuracy is said."""
        best = self.best(model)
        found = best[(best > 0) & np.isfinite(best)]
        return self.eps if self.eps is not None else float(np.median(found)) if len(found) else 0.0

    def optimality(self, attack: str) -> dict[str, float]:
        """Return the local optimality of an attack, by model; models that it has no answer for are left out."""
        lines = [line for line in self.lines if line.attack == attack]
        found = {line.model: self._local(line)[0] for line in lines}
        return {model: value for model, value in found.items() if value is not None}

    def rows(self) -> list[Json]:
        """Return one row per attack and model, best first, as JSON values; fractions, not percent."""
        found = []
        for line in self.lines:
            local = self.optimality(line.attack)
            whole = global_optimality(list(local.values())) if len(local) == len(self.models) else None
            found.append(
                {
                    "attack": line.attack,
                    "model": line.model,
                    "optimality": local.get(line.model),
                    "global_optimality": whole,
                    "eps": self.eps_of(line.model),
                    "robust_accuracy": self._robust(line),
                    "passes_per_image": line.passes_per_image,
                    "seconds": line.seconds,
                    "reason": self._local(line)[1],
                }
            )
        order = {model: place for place, model in enumerate(self.models)}
        return sorted(found, key=lambda row: (order[row["model"]], -(row["optimality"] or 0.0), row["attack"]))

    def as_dict(self) -> Json:
        """Return all of it as JSON values."""
        about = {"dataset": self.dataset, "norm": self.norm, "budget": self.budget, "n": self.n}
        return {**about, "models": self.models, "attacks": self.rows()}

    def table(self) -> Table:
        """Return one line per attack and model."""
        return bench_table(self.rows(), self.dataset, self.norm, self.budget, self.n)

    def figure(self) -> Figure:
        """Draw robust accuracy over eps, one panel per model."""
        panels: list[tuple[str, Any, dict[str, Any]]] = []
        for model in self.models:
            ordered = [
                row["attack"] for row in self.rows() if row["model"] == model and row["robust_accuracy"] is not None
            ]
            by_name = {line.attack: line.distances for line in self._told(model)}
            panels.append((model, self.best(model), {name: by_name[name] for name in ordered}))
        about = f"{self.n} test images of {self.dataset}, at most {self.budget} passes for each."
        return draw_robust_curves(panels, self.norm, about)

    def __repr__(self) -> str:
        """Return the comparison as people read it."""
        return repr(self.table())

    def _local(self, line: BenchLine) -> tuple[float | None, str | None]:
        """Return the optimality of an attack on a model, or why there is none."""
        if line.distances is None:
            return None, line.reason
        try:
            return local_optimality(line.distances, self.best(line.model)), None
        except Unsupported as error:
            return None, str(error)

    def _told(self, model: str) -> list[BenchLine]:
        return [line for line in self.lines if line.model == model and line.distances is not None]

    def _robust(self, line: BenchLine) -> float | None:
        if line.distances is None:
            return None
        return robust_curve(line.distances, line.distances > 0, [self.eps_of(line.model)])[0].robust
