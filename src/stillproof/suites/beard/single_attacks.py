"""Every attack by itself: what it leaves, what it takes, and how it stands against the strongest and the slowest."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from stillproof.core.components import metrics
from stillproof.report.answers import Answered, mean_of_all
from stillproof.report.rows import Rows, Values, common_count
from stillproof.report.tables.columns import DATASET, METHOD, MISSING, NETWORK, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Mean, Number, Table, Value
from stillproof.score.metric import AttackedModel, Metric, UnderAttack
from stillproof.score.stats import Summary, summarise, summarise_accuracies
from stillproof.suites.beard.method_scores import Assessed
from stillproof.suites.beard.protocol import beard_asks
from stillproof.suites.beard.robust_numbers import (
    ALARMS,
    DEFENCE,
    IMAGES,
    MODE,
    SIZES,
    about,
    alarms_on,
    disturbed_notes,
    warned_notes,
)

COLUMNS = (
    *(DATASET, NETWORK, METHOD, SIZES),
    *(DEFENCE, MODE, Column("attack", "attack")),
    Column("accuracy", "accuracy %", Summary),
    Column("success", "success %", Mean),
    Column("of_right", "of right ones %", Mean),
    Column("rr", "RR in its pool", Mean),
    Column("ae", "AE in its pool", Mean),
    Column("crei", "CREI in its pool", Mean),
    Column("passes", "passes to success", Number),
    Column("milliseconds", "ms per image", Number),
    *(ALARMS, IMAGES, MISSING),
    *RULES_OF_OWN_RECIPES,
)
IN_POOL = ("rr", "ae", "crei")
NOTES = (
    "accuracy: under attack. success: right before the attack and wrong after it, of all images (BEARD's definition on "
    "single images), and of those that were right; passes to success: up to the first time that the model errs as "
    "wanted, which is the target where there is one. One attack alone would be its own worst: RR and AE are taken "
    "against the largest loss and the longest time of all attacks on all models of the same data set, network and "
    "mode, seed by seed; CREI is half of each. Pooled: the mean over the sizes.",
)


def single_attack_table(found: Sequence[Assessed], rows: Rows) -> Table:
    """Return one line per model, mode and attack; then one per attack for all sizes of a method together."""
    lines: list[dict[str, Value]] = []
    seeds = {id(one): one.evidence() for one in found}
    for one in found:
        rivals = [seeds[id(other)] for other in found if len(other.parts) == 1 and _is_rival(one, other)]
        pools = [[model for rival in same for model in rival.models] for same in zip(*rivals, strict=False)]
        ranged = _Ranged.of(seeds[id(one)], pools)
        for attack in one.parts[0].accuracy:
            behind = [part.accuracy[attack] for part in one.parts if attack in part.accuracy]
            line = about(behind[0]) | {"attack": attack, "sizes": one.sizes, "alarms": alarms_on(rows, behind)}
            line |= {"missing": sum(row.missing for row in behind)}
            own = one.parts[0]
            told = _numbers(behind[0], own.time.get(attack)) if len(one.parts) == 1 else _pooled(behind)
            lines.append(line | told | ranged.against_pools(attack))
    behind = [row for one in found if len(one.parts) == 1 for row in one.parts[0].accuracy.values()]
    notes = [*NOTES, *disturbed_notes(found), *warned_notes(behind)]
    return Table("attacks", "Attack by attack", COLUMNS, lines, notes)


def _is_rival(one: Assessed, other: Assessed) -> bool:
    return all(one.row[key] == other.row[key] for key in ("dataset", "network", "mode"))


def _numbers(row: Answered, time: Answered | None) -> dict[str, Value]:
    """Return what an attack leaves and takes."""
    known = [answer for answer in row.results if answer is not None]
    timed = [] if time is None else [answer for answer in time.results if answer is not None]
    passes = [answer["passes_to_success"] for answer in known if answer["passes_to_success"] is not None]
    milliseconds = [1000 * answer["seconds"] / answer["images"] for answer in timed]
    turned = [(_turned(row, answer), answer["clean_accuracy"]) for answer in known]
    return {
        "accuracy": row.summary("robust_accuracy"),
        "success": _mean([share for share, _ in turned]),
        "of_right": _mean([share / right for share, right in turned if share is not None and right]),
        "passes": Number(fmean(passes), ".1f") if passes else None,
        "milliseconds": Number(fmean(milliseconds)) if milliseconds else None,
    }


def _turned(row: Answered, answer: dict[str, float]) -> float | None:
    """Return the share of images that were right before and are wrong after; an aimed attack may miss its target.

    Where what is right after it may have been wrong before, the share does not follow.
    """
    if row["mode"] == "untargeted":
        return answer["success_rate"]
    if not beard_asks(row["protocol"]).wrong_before_is_lost:
        return None
    return answer["clean_accuracy"] - answer["robust_accuracy"]


def _pooled(rows: Sequence[Answered]) -> dict[str, Value]:
    """Return the mean accuracy over the sizes, seed by seed."""
    seeds = zip(*(row.values("robust_accuracy") for row in rows), strict=True)
    known = [mean for values in seeds if (mean := mean_of_all(values)) is not None]
    # The models of all sizes are attacked on the same images, each of which counts once.
    return {"accuracy": summarise_accuracies(known, common_count(rows, "n")) if known else None}


@dataclass(frozen=True, slots=True)
class _Ranged:
    """Models of each seed that have all attacks, with all models of that seed, by metric."""

    metrics: Mapping[str, Metric[UnderAttack]]
    seeds: Mapping[str, Sequence[Sequence[tuple[AttackedModel | None, Sequence[AttackedModel]]]]]

    @classmethod
    def of(cls, seeds: Sequence[UnderAttack], pools: Sequence[Sequence[AttackedModel]]) -> _Ranged:
        known: dict[str, Metric[UnderAttack]] = {name: metrics.build(name) for name in IN_POOL}

        def whole(metric: Metric[UnderAttack], model: AttackedModel, pool: Sequence[AttackedModel]) -> bool:
            return metric.value_or_none(UnderAttack([model], pool)) is not None

        return cls(
            known,
            {
                name: [
                    [(model if whole(metric, model, pool) else None, pool) for model in seed.models]
                    for seed, pool in zip(seeds, pools, strict=True)
                ]
                for name, metric in known.items()
            },
        )

    def against_pools(self, attack: str) -> dict[str, Value]:
        """Return RR, AE and CREI of an attack, seed by seed, against all attacks on the models of a seed's pool."""
        return {
            name: _mean([mean_of_all([_single(self.metrics[name], attack, *one) for one in seed]) for seed in seeds])
            for name, seeds in self.seeds.items()
        }


def _single(
    metric: Metric[UnderAttack], attack: str, model: AttackedModel | None, pool: Sequence[AttackedModel]
) -> float | None:
    if model is None or attack not in model.attacks:
        return None  # a model that lacks an attack is not among the pool either
    alone = dataclasses.replace(model, attacks={attack: model.attacks[attack]})
    return metric.value_or_none(UnderAttack([alone], pool))


def _mean(values: Values) -> Mean | None:
    known = [value for value in values if value is not None]
    return Mean(summarise(known)) if known else None
