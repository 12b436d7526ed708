"""The columns of the tables of architecture search, and how a search fills them."""

from __future__ import annotations

from stillproof.report.dc_bench.search_scores import Searched
from stillproof.report.published import Published
from stillproof.report.tables.columns import DATASET, IPC, METHOD, RULES_OF_OWN_RECIPES, about
from stillproof.report.tables.table import Column, Percent, Seconds, Value
from stillproof.score.agreement import Estimate

WHERE = (DATASET, Column("space", "space", fold="same"), METHOD, IPC)
ORDER = (
    *WHERE,
    Column("spearman", "Spearman", Estimate),
    Column("kendall", "Kendall", Estimate),
    Column("spearman_by_seed", "Spearman, mean of seeds", Estimate, "empty"),
    Column("published_spearman", "published Spearman", Estimate, "empty"),
    Column("architectures", "architectures", int),
    Column("dropped", "dropped", int, "same"),
    *RULES_OF_OWN_RECIPES,
)
CHOICE = (
    *WHERE,
    Column("top1", "top-1 %", Percent),
    Column("tied", "tied", int),
    Column("published_top1", "published top-1 %", Published, "empty"),
    Column("best", "best of the sample %", Percent),
    Column("regret", "regret, points", Percent),
    Column("saved", "time saved %", Percent),
    Column("seconds", "per architecture", Seconds),
    *RULES_OF_OWN_RECIPES,
)


def search_line(search: Searched) -> dict[str, Value]:
    """Return what a search found, for both tables."""
    line: dict[str, Value] = about(search.row) | {
        "space": search.row["space"],
        "spearman": search.agreement.spearman,
        "kendall": search.agreement.kendall,
        "architectures": len(search.proxy),
        "dropped": search.dropped,
        "saved": None if search.saved is None else Percent(search.saved),
        "seconds": None if search.seconds is None else Seconds(search.seconds),
    }
    if search.by_seed is not None:
        line["spearman_by_seed"] = Estimate(search.by_seed.mean, search.by_seed.ci95)
    if search.choice is not None:
        chosen = search.choice
        line |= {"top1": Percent(chosen.top1), "tied": chosen.tied}
        line |= {"best": Percent(chosen.best), "regret": Percent(chosen.regret)}
    if search.published is not None:
        there = search.published
        line["published_spearman"] = Estimate(there.spearman, None)
        line["published_top1"] = Published(there.top1, there.place, there.paper)
    return line
