"""What a session says of a pool under attack: BEARD's scores of all its models together, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from stillproof.attack_answers import AttackScore
from stillproof.core.errors import Unsupported
from stillproof.core.reference import write_reference
from stillproof.core.spec import Json
from stillproof.report.pool_table import pool_table
from stillproof.report.tables.table import Table
from stillproof.run.attack_names import shown
from stillproof.score.attacked_images import efficiency_in_passes, success_mean
from stillproof.score.robustness import crei, robustness_ratio


@dataclass(frozen=True)
class PoolScore:
    """RR, AE and CREI of all models of a pool; fractions, not percent, and none where a ratio is not defined.

    Args:
        pool: Its name.
        dataset: Whose test images were attacked.
        models: One score per model; those of single attacks are its ``attacks``.
        rr: The robustness ratio.
        ae: The attack efficiency on passes to the first success; an attack that turns no image has none.
        reasons: Why a ratio is not defined.
    """

    pool: str
    dataset: str
    models: Sequence[AttackScore]
    rr: float | None
    ae: float | None
    reasons: Sequence[str] = ()

    @property
    def crei(self) -> float | None:
        """Return half of each."""
        return None if self.rr is None or self.ae is None else crei(self.rr, self.ae)

    def as_dict(self) -> Json:
        """Return the scores as JSON values."""
        first = self.models[0]
        rows = [_row(model, one) for model in self.models for one in model.attacks]
        made = [row for row in rows if row["reason"] is None]
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
            "reasons": list(self.reasons),
            "without_success": sum(row["passes_to_success"] is None for row in made),
            "checked": first.checked,
            "alarms": list(dict.fromkeys(alarm for model in self.models for alarm in model.alarms)),
            "attacks": rows,
        }

    def table(self) -> Table:
        """Return one line per model and attack; the scores are told below."""
        return pool_table(self.as_dict())

    def __repr__(self) -> str:
        """Return the scores as people read them."""
        return repr(self.table())


def pool_score(pool: str, dataset: str, models: Sequence[AttackScore]) -> PoolScore:
    """Return the scores of all models together; attacks that cannot be made are left out of them, as in BEARD."""
    reasons: list[str] = []

    def ratio(score: Callable[..., float], *values: Sequence[Any]) -> float | None:
        try:
            return score(*values)
        except Unsupported as reason:  # a dash with its reason
            reasons.append(str(reason))
            return None

    made = [[one for one in model.attacks if one.reason is None] for model in models]
    clean = [model.clean_accuracy or 0.0 for model in models]
    passes = [_passes_to_success(one) for some in made for one in some]
    rr = ratio(robustness_ratio, clean, [[one.robust_accuracy or 0.0 for one in some] for some in made])
    ae = ratio(_efficiency, [mean for mean in passes if mean is not None])
    return PoolScore(pool, dataset, models, rr, ae, reasons)


def _efficiency(passes: Sequence[float]) -> float:
    if not passes:
        raise Unsupported("no attack turns an image, so that there are no passes to a success.")
    return efficiency_in_passes(passes)


def _row(model: AttackScore, one: AttackScore) -> Json:
    return {
        "model": model.model,
        "attack": shown(write_reference(one.attack, one.given)),
        "clean_accuracy": one.clean_accuracy,
        "robust_accuracy": one.robust_accuracy,
        "robust_ci95": None if one.robust_ci95 is None else list(one.robust_ci95),
        "passes_to_success": _passes_to_success(one),
        "reason": one.reason,
    }


def _passes_to_success(one: AttackScore) -> float | None:
    """Return the mean passes to the first success, over images that were turned; nothing if none was."""
    if one.outcomes is None or not one.outcomes["success"].any():
        return None
    return success_mean(one.outcomes["first_success"], one.outcomes["success"])
