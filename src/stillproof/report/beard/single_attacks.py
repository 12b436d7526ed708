"""Every attack by itself: what it leaves, what it takes, and how it stands against the strongest and the slowest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from stillproof.core.errors import Unsupported
from stillproof.report.answers import Answered
from stillproof.report.beard.alarms import ALARMS, alarms_on
from stillproof.report.beard.assessed import Assessed
from stillproof.report.beard.attacked import Attacked, Quantity
from stillproof.report.beard.columns import BEFORE, DEFENCE, IMAGES, MODE, about
from stillproof.report.rows import Rows, Values
from stillproof.report.tables.columns import MISSING, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Mean, Table, Value
from stillproof.score.robustness import Pool, attack_efficiency, robustness_ratio
from stillproof.score.stats import Summary, summarise

COLUMNS = (
    *BEFORE,
    *(DEFENCE, MODE, Column("attack", "attack")),
    Column("accuracy", "accuracy %", Summary),
    Column("success", "success %", Mean),
    Column("of_right", "of right ones %", Mean),
    Column("rr", "RR in its pool", Mean),
    Column("ae", "AE in its pool", Mean),
    Column("passes", "passes to success"),
    Column("milliseconds", "ms per image"),
    *(ALARMS, IMAGES, MISSING),
    *RULES_OF_OWN_RECIPES,
)
NOTES = (
    "accuracy: under attack. success: right before the attack and wrong after it, of all images (BEARD's definition on "
    "single images), and of those that were right. One attack alone would be its own worst: RR and AE are taken "
    "against the largest loss and the longest time of all attacks on all models of the same data set, network and "
    "mode, seed by seed.",
)


def single_attack_table(found: Sequence[Assessed], rows: Rows) -> Table:
    """Return one line per model, mode and attack."""
    single = [one for one in found if len(one.parts) == 1]
    lines: list[dict[str, Value]] = []
    for one in single:
        own, rivals = one.parts[0], [other.parts[0] for other in single if _is_rival(one, other)]
        for number, (attack, row) in enumerate(own.accuracy.items()):
            told = _numbers(row, own.time.get(attack)) | _against_pool(number, own, rivals, len(row.results))
            lines.append(about(row) | told | {"attack": attack, "alarms": alarms_on(rows, [row])})
    return Table("attacks", "Attack by attack", COLUMNS, lines, NOTES)


def _is_rival(one: Assessed, other: Assessed) -> bool:
    return all(one.row[key] == other.row[key] for key in ("dataset", "network", "mode"))


def _numbers(row: Answered, time: Answered | None) -> dict[str, Value]:
    """Return what an attack leaves and takes."""
    known = [answer for answer in row.results if answer is not None]
    timed = [] if time is None else [answer for answer in time.results if answer is not None]
    passes = [answer["passes_to_success"] for answer in known if answer["passes_to_success"] is not None]
    milliseconds = [1000 * answer["seconds"] / answer["images"] for answer in timed]
    right = [answer["success_rate"] / answer["clean_accuracy"] for answer in known if answer["clean_accuracy"]]
    return {
        "accuracy": row.summary("robust_accuracy"),
        "success": _mean([answer["success_rate"] for answer in known]),
        "of_right": _mean(right),
        "passes": f"{fmean(passes):.1f}" if passes else None,
        "milliseconds": f"{fmean(milliseconds):.3g}" if milliseconds else None,
    }


def _against_pool(attack: int, own: Attacked, rivals: Sequence[Attacked], seeds: int) -> dict[str, Value]:
    """Return RR and AE of an attack, by its number, against all attacks on all rivals, seed by seed."""
    ratios = [_single(robustness_ratio, "accuracy", attack, own, rivals, seed) for seed in range(seeds)]
    efficiencies = [_single(attack_efficiency, "seconds", attack, own, rivals, seed) for seed in range(seeds)]
    return {"rr": _mean(ratios), "ae": _mean(efficiencies)}


def _single(
    score: Callable[..., float], what: Quantity, attack: int, own: Attacked, rivals: Sequence[Attacked], seed: int
) -> float | None:
    mine = own.of_seed(what, seed)
    there = [values for rival in rivals if (values := rival.of_seed(what, seed)) is not None]
    if mine is None:
        return None
    pool = Pool("all attacks", [clean for clean, _ in there], [under for _, under in there])
    try:
        return score(mine[0], [mine[1][attack]], pool=pool)
    except Unsupported:  # no attack of the pool takes anything away
        return None


def _mean(values: Values) -> Mean | None:
    known = [value for value in values if value is not None]
    return Mean(summarise(known)) if known else None
