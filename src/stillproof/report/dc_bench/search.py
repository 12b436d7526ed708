"""Architecture search: how well a small set orders architectures, what it would have chosen, and what it saves."""

from __future__ import annotations

from collections.abc import Sequence

from stillproof.report.dc_bench.columns import BEFORE, RULES_OF_OWN_RECIPES, about, published_notes
from stillproof.report.dc_bench.rows import Rows, missing_notes
from stillproof.report.dc_bench.search_scores import Searched, searches
from stillproof.report.published import Published
from stillproof.report.table import Column, Percent, Seconds, Table, Value
from stillproof.score.agreement import Estimate

DATASET, _, METHOD, IPC = BEFORE
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
ORDER_NOTE = (
    "Correlations of held-out accuracy in the search with true accuracy; in brackets: 95 % interval, bootstrap over "
    "architectures (of the mean of seeds: Student's, over seeds); dropped: architectures without an answer of every "
    "seed, or without a true accuracy."
)
CHOICE_NOTES = (
    "top-1: true accuracy of the chosen architecture, the mean of those that share the first place (tied).",
    "time saved: by operations counted for training and looking at an architecture, against full; making the set is "
    "not in it. per architecture: seconds of one training.",
)
PUBLISHED_NOTE = " They are of 100 architectures and sets of 50 images per class."


def search_tables(rows: Rows) -> list[Table]:
    """Return two tables with one line a space and method each."""
    found = searches(rows)
    if not found:
        return []
    lines = [_line(search) for search in found]
    shared = [*_truths(found), *_seeds(found), *published_notes(lines, PUBLISHED_NOTE)]
    missing = missing_notes([*rows["search"], *rows.get("search-truth", [])])
    order = [ORDER_NOTE, *shared, *_reasons(found), *missing]
    return [
        Table("search", "Architecture search: the order", ORDER, lines, order),
        Table("search-choice", "Architecture search: the choice", CHOICE, lines, [*CHOICE_NOTES, *shared, *missing]),
    ]


def _line(search: Searched) -> dict[str, Value]:
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
        line["published_top1"] = Published(there.top1, there.place, paper=there.paper)
    return line


def _truths(found: Sequence[Searched]) -> list[str]:
    told = dict.fromkeys((search.row["space"], search.told) for search in found)
    return [f"True accuracy in {space}: {sentence}." for space, sentence in told]


def _seeds(found: Sequence[Searched]) -> list[str]:
    counts = sorted({len(search.row.results) for search in found})
    return [f"Held-out accuracy: of each architecture, the mean over seeds, n = {' or '.join(map(str, counts))}."]


def _reasons(found: Sequence[Searched]) -> list[str]:
    reasons = dict.fromkeys(
        f"{search.row['method']}: {estimate.reason}."
        for search in found
        for estimate in (search.agreement.spearman, search.agreement.kendall)
        if estimate.reason
    )
    return list(reasons)
