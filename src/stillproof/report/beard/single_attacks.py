"""Every attack by itself: what it leaves, what it takes, and how it stands against the strongest and the slowest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from stillproof.core.errors import Unsupported
from stillproof.report.answers import Answered, mean_of_all
from stillproof.report.beard.alarms import ALARMS, alarms_on
from stillproof.report.beard.assessed import ALPHA, Assessed
from stillproof.report.beard.attacked import Attacked, Quantity
from stillproof.report.beard.columns import DEFENCE, IMAGES, MODE, SIZES, about
from stillproof.report.beard.time_notes import disturbed_notes
from stillproof.report.rows import Rows, Values
from stillproof.report.tables.columns import DATASET, METHOD, MISSING, NETWORK, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Mean, Table, Value
from stillproof.score.robustness import Pool, attack_efficiency, crei, robustness_ratio
from stillproof.score.stats import Summary, summarise

COLUMNS = (
    *(DATASET, NETWORK, METHOD, SIZES),
    *(DEFENCE, MODE, Column("attack", "attack")),
    Column("accuracy", "accuracy %", Summary),
    Column("success", "success %", Mean),
    Column("of_right", "of right ones %", Mean),
    Column("rr", "RR in its pool", Mean),
    Column("ae", "AE in its pool", Mean),
    Column("crei", "CREI in its pool", Mean),
    Column("passes", "passes to success"),
    Column("milliseconds", "ms per image"),
    *(ALARMS, IMAGES, MISSING),
    *RULES_OF_OWN_RECIPES,
)
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
    for one in found:
        rivals = [other.parts[0] for other in found if len(other.parts) == 1 and _is_rival(one, other)]
        for attack in one.parts[0].accuracy:
            behind = [part.accuracy[attack] for part in one.parts if attack in part.accuracy]
            line = about(behind[0]) | {"attack": attack, "sizes": one.sizes, "alarms": alarms_on(rows, behind)}
            line |= {"missing": sum(row.missing for row in behind)}
            own = one.parts[0]
            told = _numbers(behind[0], own.time.get(attack)) if len(one.parts) == 1 else _pooled(one, behind)
            lines.append(line | told | _against_pool(attack, one.parts, rivals, len(one.row.results)))
    return Table("attacks", "Attack by attack", COLUMNS, lines, [*NOTES, *disturbed_notes(found)])


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
        "passes": f"{fmean(passes):.1f}" if passes else None,
        "milliseconds": f"{fmean(milliseconds):.3g}" if milliseconds else None,
    }


def _turned(row: Answered, answer: dict[str, float]) -> float | None:
    """Return the share of images that were right before and are wrong after; an aimed attack may miss its target.

    What is right after it under ``faithful`` may have been wrong before, so that the share does not follow there.
    """
    if row["mode"] == "untargeted":
        return answer["success_rate"]
    return answer["clean_accuracy"] - answer["robust_accuracy"] if row["protocol"] == "fair" else None


def _pooled(one: Assessed, rows: Sequence[Answered]) -> dict[str, Value]:
    """Return the mean accuracy over the sizes, seed by seed."""
    seeds = zip(*(row.values("robust_accuracy") for row in rows), strict=True)
    return {"accuracy": one.accuracies([mean_of_all(values) for values in seeds])}


def _against_pool(attack: str, parts: Sequence[Attacked], rivals: Sequence[Attacked], seeds: int) -> dict[str, Value]:
    """Return RR, AE and CREI of an attack against all attacks on all rivals, seed by seed."""

    def scores(score: Callable[..., float], what: Quantity) -> Values:
        by_seed = [[_single(score, what, attack, part, rivals, seed) for part in parts] for seed in range(seeds)]
        return [mean_of_all(values) for values in by_seed]

    ratios, efficiencies = scores(robustness_ratio, "accuracy"), scores(attack_efficiency, "seconds")
    pairs = zip(ratios, efficiencies, strict=True)
    both = [None if rr is None or ae is None else crei(rr, ae, ALPHA) for rr, ae in pairs]
    return {"rr": _mean(ratios), "ae": _mean(efficiencies), "crei": _mean(both)}


def _single(
    score: Callable[..., float], what: Quantity, attack: str, own: Attacked, rivals: Sequence[Attacked], seed: int
) -> float | None:
    mine = own.of_seed(what, seed)
    there = [values for rival in rivals if (values := rival.of_seed(what, seed)) is not None]
    if mine is None or attack not in mine[1]:
        return None
    pool = Pool("all attacks", [clean for clean, _ in there], [list(under.values()) for _, under in there])
    try:
        return score(mine[0], [mine[1][attack]], pool=pool)
    except Unsupported:  # no attack of the pool takes anything away
        return None


def _mean(values: Values) -> Mean | None:
    known = [value for value in values if value is not None]
    return Mean(summarise(known)) if known else None
