"""What a session says of a pool under attack: BEARD's scores of all its models together, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stillproof.attack.protocols.named import attack_protocol
from stillproof.attack_answers import AttackScore
from stillproof.core.components import metrics
from stillproof.core.errors import Unsupported
from stillproof.core.reference import write_reference
from stillproof.core.spec import Json
from stillproof.report.pool_table import pool_table
from stillproof.report.tables.metric_columns import metric_numbers
from stillproof.report.tables.table import Table
from stillproof.run.attack_names import shown
from stillproof.score.metric import AttackedModel, AttackOutcome, Metric, UnderAttack
from stillproof.suites.beard.balls import ball_for


@dataclass(frozen=True)
class PoolScore:
    """RR, AE and CREI of all models of a pool; fractions, not percent, and none where a ratio is not defined.

    Args:
        pool: Its name.
        dataset: Whose test images were attacked.
        models: One score per model; those of single attacks are its ``attacks``.
        rr: The robustness ratio.
        ae: The attack efficiency on passes to the first success; an attack that turns no image has none.
        crei: Half of each.
        reasons: Why one is not defined.
        metrics: What metrics of plug-ins give, by the keys of their columns.
    """

    pool: str
    dataset: str
    models: Sequence[AttackScore]
    rr: float | None
    ae: float | None
    crei: float | None
    reasons: Sequence[str] = ()
    metrics: Mapping[str, float | None] = field(default_factory=dict)

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
            **self.metrics,
            "reasons": list(self.reasons),
            "without_success": sum(row["passes_to_success"] is None for row in made),
            "checked": first.checked,
            "alarms": list(dict.fromkeys(alarm for model in self.models for alarm in model.alarms)),
            "attacks": rows,
        }

    def table(self) -> Table:
        """Return one line per model and attack; the scores are told below."""
        return pool_table(self.as_dict(), attack_protocol(self.models[0].protocol).sentence)

    def __repr__(self) -> str:
        """Return the scores as people read them."""
        return repr(self.table())


def pool_score(pool: str, dataset: str, models: Sequence[AttackScore]) -> PoolScore:
    """Return the scores of all models together; attacks that cannot be made are left out of them, as in BEARD."""
    evidence = UnderAttack([_attacked(model) for model in models])
    reasons: dict[str, None] = {}
    found: list[float | None] = []
    for name in ("rr", "ae-passes", "crei-passes"):
        metric: Metric[UnderAttack] = metrics.build(name)
        try:
            found.append(metric.value(evidence))
        except Unsupported as reason:  # a dash with its reason
            found.append(None)
            reasons[str(reason)] = None
    rr, ae, both = found
    return PoolScore(pool, dataset, models, rr, ae, both, list(reasons), metric_numbers(UnderAttack, evidence))


def ball_of(one: AttackScore) -> tuple[str, float] | None:
    """Return norm and radius of the ball that an attack without one is judged in; an origin counts any change."""
    if one.reason is not None or one.asked is None or one.eps is not None or attack_protocol(one.protocol).origin:
        return None
    return ball_for(one.asked.attack)


def _attacked(model: AttackScore) -> AttackedModel:
    made = {str(place): one for place, one in enumerate(model.attacks) if one.reason is None}
    attacks = {place: _outcome(one) for place, one in made.items()}
    return AttackedModel(model.clean_accuracy, attacks, images=model.n)


def _outcome(one: AttackScore) -> AttackOutcome:
    values = {} if one.outcomes is None else one.outcomes.values
    return AttackOutcome(one.robust_accuracy, one.passes_to_success, arrays=lambda: values)


def _row(model: AttackScore, one: AttackScore) -> Json:
    ball = ball_of(one)
    return {
        "model": model.model,
        "attack": shown(write_reference(one.attack, one.given)),
        "clean_accuracy": one.clean_accuracy,
        "robust_accuracy": one.robust_accuracy,
        "robust_ci95": None if one.robust_ci95 is None else list(one.robust_ci95),
        "passes_to_success": one.passes_to_success,
        "eps": one.eps,
        "within": None if ball is None else {"norm": ball[0], "eps": ball[1]},
        "reason": one.reason,
    }
