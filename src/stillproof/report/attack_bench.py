"""Attacks beside each other, at the same number of passes: how near each comes to the best that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stillproof.core.errors import Unsupported
from stillproof.core.spec import Json
from stillproof.report.figures.values import StepCurves, StepLine, StepPanel
from stillproof.report.tables.table import Column, Number, Percent, Seconds, Table, Value
from stillproof.score.optimality import best_known, global_optimality, local_optimality
from stillproof.score.robust_curve import robust_curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = (
    Column("model", "model", fold="same"),
    Column("attack", "attack"),
    Column("optimality", "optimality %", Percent),
    Column("global", "over all models %", Percent, fold="empty", absent=""),
    Column("robust", "robust %", Percent),
    Column("eps", "at eps", Number),
    Column("passes", "passes per image", Number, absent=""),
    Column("seconds", "time", Seconds, absent=""),
)
MEANING = (
    "optimality: 100 if no other attack finds a smaller change of any image, 0 if it finds none (AttackBench). Names "
    "with a slash are other libraries'. An attack within a ball has its radius searched for with the same passes."
)
AT_RANDOM = "The model answers at random: a change fools it if most of {} fresh draws are fooled."
Distances = npt.NDArray[np.float64]
SHOWN = 8  # attacks of a panel, the best first: more lines cannot be told apart
PLACES = 400  # at which a curve is drawn
BEST = "best known"


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class BenchLine:
    """What one attack does to one model.

    Args:
        model: The model's name.
        attack: The attack; ``adv-lib/fmn`` is a library's.
        distances: Size of the nearest change of each image: 0 if it was wrong before, infinite if none was found.
        passes_per_image: Mean number of passes, of images that were right.
        seconds: Time of all images, when it was computed.
        draws: How often a model that answers at random was asked whether a change fools it; 0 for other models.
        reason: Why there is no answer, if there is none.
        warnings: Warnings about its numbers, one sentence each.
    """

    model: str
    attack: str
    distances: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    passes_per_image: float | None = None
    seconds: float | None = None
    draws: int = 0
    reason: str | None = None
    warnings: Sequence[str] = ()


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
                    "draws": line.draws,
                    "reason": self._local(line)[1],
                    "warnings": list(line.warnings),
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
        return _table(self.rows(), self.dataset, self.norm, self.budget, self.n)

    def figure(self) -> Figure:
        """Draw robust accuracy over eps, one panel per model."""
        from stillproof.report.drawing.draw import draw  # matplotlib is slow to load

        return draw(self.curves())

    def curves(self) -> StepCurves:
        """Return what that figure shows, as values."""
        panels: list[tuple[str, Any, dict[str, Any]]] = []
        for model in self.models:
            ordered = [
                row["attack"] for row in self.rows() if row["model"] == model and row["robust_accuracy"] is not None
            ]
            by_name = {line.attack: line.distances for line in self._told(model)}
            panels.append((model, self.best(model), {name: by_name[name] for name in ordered}))
        about = f"{self.n} test images of {self.dataset}, at most {self.budget} passes for each."
        return _curves(panels, self.norm, about)

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


def _table(rows: Sequence[Mapping[str, Any]], dataset: str, norm: str, budget: int, n: int) -> Table:
    """Return the table of rows as ``attack-bench --json`` has them."""
    several = len({row["model"] for row in rows}) > 1
    title = f"Strength of attacks in {norm}, {n} test images of {dataset}, {budget} passes"
    draws = max((row["draws"] for row in rows), default=0)
    notes = [MEANING, *([AT_RANDOM.format(draws)] if draws else [])]
    notes += [f"{row['attack']}: {row['reason']}" for row in rows if row["reason"]]
    notes += dict.fromkeys(f"Warning on {row['model']}: {said}" for row in rows for said in row["warnings"])
    return Table("attack-bench", title, COLUMNS, [_line(row, several=several) for row in rows], notes)


def _line(row: Mapping[str, Any], *, several: bool) -> dict[str, Value]:
    passes = row["passes_per_image"]
    return {
        "model": row["model"],
        "attack": row["attack"],
        "optimality": _percent(row["optimality"]),
        "global": _percent(row["global_optimality"]) if several else None,
        "robust": _percent(row["robust_accuracy"]),
        "eps": Number(row["eps"]),
        "passes": None if passes is None else Number(passes, ".0f"),
        "seconds": None if row["seconds"] is None else Seconds(row["seconds"]),
    }


def _percent(fraction: float | None) -> Percent | None:
    return None if fraction is None else Percent(fraction)


def _curves(panels: Sequence[tuple[str, Distances, Mapping[str, Distances]]], norm: str, about: str) -> StepCurves:
    """Return the curves.

    Args:
        panels: For each model its name, the best-known distance of each image, and those of attacks, the best first.
        norm: The norm that distances are measured in.
        about: A sentence on the images.
    """
    note = f"{about} Band: Wilson's 95 % interval of the best known. The {SHOWN} best attacks of each."
    return StepCurves(f"Robust accuracy over eps in {norm}", f"eps in {norm}", [_panel(*one) for one in panels], note)


def _panel(model: str, best: Distances, attacks: Mapping[str, Distances]) -> StepPanel:
    radii = _radii(best)
    points = robust_curve(best, best > 0, radii)
    known = StepLine(BEST, [point.robust for point in points], [point.ci95 for point in points])
    shown = list(attacks.items())[:SHOWN]
    lines = [
        StepLine(name, [point.robust for point in robust_curve(distances, distances > 0, radii)])
        for name, distances in shown
    ]
    return StepPanel(model, radii, known, lines)


def _radii(best: Distances) -> list[float]:
    found = best[np.isfinite(best)]
    largest = float(found.max()) if len(found) and found.max() > 0 else 1.0
    return [float(radius) for radius in np.linspace(0, largest, PLACES)]
