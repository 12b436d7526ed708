"""What a session says of a pool under attack: BEARD's scores of all its models together, and what they are made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from stillproof.attack_answers import AttackScore, ImageOutcomes
from stillproof.core.errors import BadInput
from stillproof.core.spec import Json
from stillproof.report.pool_table import pool_table
from stillproof.report.tables.table import Table
from stillproof.run.attack_outcomes import judged_within
from stillproof.score.attacked_images import efficiency_in_passes, success_mean
from stillproof.score.robustness import crei, robustness_ratio
from stillproof.suites.beard.score_rows import WITHIN
from stillproof.suites.beard.victims import has_no_ball


@dataclass(frozen=True)
class PoolScore:
    """RR, AE and CREI of all models of a pool; fractions, not percent.

    Args:
        pool: Its name.
        dataset: Whose test images were attacked.
        models: What attacks left of each model: one score, whose ``attacks`` are those that could be made.
    """

    pool: str
    dataset: str
    models: Sequence[AttackScore]

    @property
    def rr(self) -> float:
        """Return the robustness ratio.

        Raises:
            Unsupported: No attack takes anything away, or there is only one attack on one model.
        """
        clean = [model.clean_accuracy or 0.0 for model in self.models]
        return robustness_ratio(clean, [[one.robust_accuracy or 0.0 for one in model.attacks] for model in self.models])

    @property
    def ae(self) -> float:
        """Return the attack efficiency on passes to the first success; an attack that turns no image has none."""
        return efficiency_in_passes([mean for mean in self._passes() if mean is not None])

    @property
    def crei(self) -> float:
        """Return half of each."""
        return crei(self.rr, self.ae)

    def as_dict(self) -> Json:
        """Return the scores as JSON values."""
        first = self.models[0]
        return {
            "pool": self.pool,
            "dataset": self.dataset,
            "protocol": first.protocol,
            "targets": first.targets,
            "n": first.n,
            "models": len(self.models),
            "rr": self.rr,
            "ae": self.ae,
            "crei": self.crei,
            "without_success": self._passes().count(None),
            "checked": first.checked,
            "alarms": list(dict.fromkeys(alarm for model in self.models for alarm in model.alarms)),
            "attacks": [self._row(model, one) for model in self.models for one in model.attacks],
        }

    def table(self) -> Table:
        """Return one line per model and attack; the scores are told below."""
        return pool_table(self.as_dict())

    def __repr__(self) -> str:
        """Return the scores as people read them."""
        return repr(self.table())

    @staticmethod
    def _row(model: AttackScore, one: AttackScore) -> Json:
        return {
            "model": model.model,
            "attack": one._shown(),
            "clean_accuracy": one.clean_accuracy,
            "robust_accuracy": one.robust_accuracy,
            "robust_ci95": None if one.robust_ci95 is None else list(one.robust_ci95),
            "passes_to_success": _passes_to_success(one),
        }

    def _passes(self) -> list[float | None]:
        return [_passes_to_success(one) for model in self.models for one in model.attacks]


def judged(score: AttackScore) -> AttackScore:
    """Return what attacks left of a model as scores count it, in ``attacks``; those that cannot be made are left out.

    Under ``fair``, changes of an attack that looks for the nearest one count within the usual ball of L2, as in suite
    beard: without limits every image has one.

    Raises:
        BadInput: None of them can be made.
    """
    every = score.attacks or (score,)
    made = [one for one in every if one.reason is None]
    if not made:
        raise BadInput(f"none of these attacks can be made on {score.model}: {every[0].reason}")
    return dataclasses.replace(score, attacks=[_within_ball(one) for one in made])


def _within_ball(one: AttackScore) -> AttackScore:
    if one.protocol != "fair" or not has_no_ball(one.attack):
        return one
    assert one.outcomes is not None
    tensors = {name: torch.from_numpy(values) for name, values in one.outcomes.values.items()}
    found = ImageOutcomes.of(judged_within(tensors, "L2", WITHIN))
    return dataclasses.replace(one, robust_accuracy=int(found["robust"].sum()) / one.n, outcomes=found)


def _passes_to_success(one: AttackScore) -> float | None:
    """Return the mean passes to the first success, over images that were turned; nothing if none was."""
    assert one.outcomes is not None
    success = one.outcomes["success"]
    return success_mean(one.outcomes["first_success"], success) if success.any() else None
