"""Robust accuracy over the size of the change, from one attack that looks for the nearest, checked by others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from stillproof.attack.base.attack import Attack
from stillproof.core.attack_warnings import WARNINGS, warnings_in
from stillproof.core.components import attacks, stages
from stillproof.core.errors import BadInput
from stillproof.run.attack_outcomes import majority_warning, read_outcomes
from stillproof.run.cell import Cell, Planned
from stillproof.run.stage import Answer, Job, Stage
from stillproof.score.robust_curve import area_under, robust_curve
from stillproof.suites.requests import Request

if TYPE_CHECKING:
    from stillproof.run.plan import Planner

POINTS = 33  # of the curve, the clean accuracy first
SAME = ("model", "test", "images", "protocol")


@stages.register("robust-curve", version=1)
@dataclass(frozen=True)
class RobustCurve(Stage):
    """The accuracy that is left under changes of growing size, and the area below; derived, costs nothing.

    Args:
        of: An attack that looks for the nearest change.
        checks: Attacks within balls of the same norm, on the same images and model: what they find counts, too.
        largest: How far the curve reaches.
    """

    of: Request
    checks: tuple[Request, ...]
    largest: float

    def plan(self, planner: Planner) -> Planned:
        """Plan the counting, and the attacks."""
        if not self.largest > 0:
            raise BadInput(f"largest = {self.largest:g} is not allowed: a curve needs room to the right of 0.")
        cell, checks = planner.plan(self.of), [planner.plan(request) for request in self.checks]
        norm = _attack(cell).measured_in
        if not _attack(cell).nearest:
            raise BadInput(f"{cell.label} does not look for the nearest change, so that it gives no curve.")
        for check in checks:
            if _attack(check).measured_in != norm or any(check.spec[key] != cell.spec[key] for key in SAME):
                raise BadInput(f"{check.label} is in another norm, or on another model or images, than {cell.label}.")
        names = [check.id for check in checks]
        radii = [_attack(check).radius for check in checks]
        return Planned(
            {"of": cell.id, "checks": names, "radii": radii, "norm": norm, "largest": self.largest},
            f"curve of {cell.label}",
            needs=tuple(dict.fromkeys((cell.id, *names))),
            where=cell.where,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Count the images that withstand changes of each size."""
        spec = job.spec
        answers = [job.answer_of(cell) for cell in (spec["of"], *spec["checks"])]
        answer, artifacts = answers[0], [one["outcomes"] for one in answers]
        outcomes = [read_outcomes(job.store, artifact) for artifact in artifacts]
        norm = spec["norm"].lower()
        right = outcomes[0]["clean_right"].numpy()
        balls = [np.inf, *spec["radii"]]
        found = np.stack([_distances(one, norm, ball) for one, ball in zip(outcomes, balls, strict=True)])
        own, known = found[0], found.min(0)
        eps = np.linspace(0, spec["largest"], POINTS).tolist()
        accuracies, own_left, left = (
            [point.robust for point in robust_curve(away, right, radii)]
            for away, radii in ((known, eps), (own, spec["radii"]), (known, spec["radii"]))
        )
        checks = [
            {"eps": radius, "curve": before, "robust_accuracy": after}
            for radius, before, after in zip(spec["radii"], own_left, left, strict=True)
        ]
        told = {kind: said for one in answers for kind, said in warnings_in(one["notes"]).items()}
        result = {
            "n": answer["n"],
            "clean_accuracy": int(right.sum()) / len(right),
            "norm": spec["norm"],
            "eps": eps,
            "accuracies": accuracies,
            "area": area_under(known, right, spec["largest"]) / spec["largest"],
            "checks": checks,
            "gap": max((check["curve"] - check["robust_accuracy"] for check in checks), default=0.0),
            "notes": {WARNINGS: told | majority_warning(answers)},
        }
        return Answer(result, artifacts=tuple(artifacts), derived_from=(spec["of"], *spec["checks"]))


def _attack(cell: Cell) -> Attack:
    if cell.stage != "attack":
        raise BadInput(f"{cell.label} is not an attack.")
    return cast(Attack, attacks.rebuild(cell.spec["attack"]))


def _distances(outcome: Mapping[str, Tensor], norm: str, ball: float) -> NDArray[np.float64]:
    """Return how far the nearest change that fooled is, for each image; infinitely far if none did.

    Changes are kept within the attack's ball, but rounding makes the size of most of them a little larger than that. An
    image that is as it was is not lost, whatever other draws say of a model that answers at random.
    """
    sizes = np.minimum(outcome[norm].double().numpy(), ball)
    far: NDArray[np.float64] = np.where(outcome["success"].numpy() & (sizes > 0), sizes, np.inf)
    return far
