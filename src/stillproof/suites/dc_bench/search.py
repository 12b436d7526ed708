"""Architecture search: do architectures that were trained on distilled sets come in their true order?"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from stillproof.core.seeds import Seeds
from stillproof.nets.search_spaces import convnet_networks, nas201_networks, sample
from stillproof.report.figures.by_group import basis_of, figures_of
from stillproof.report.figures.values import Scatter, Search
from stillproof.report.published import Published
from stillproof.report.rows import FULL, Rows, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import DATASET, IPC, METHOD, RULES_OF_OWN_RECIPES, about
from stillproof.report.tables.table import Column, Percent, Seconds, Table, Value
from stillproof.score.agreement import Estimate
from stillproof.suites.dc_bench.search_scores import Searched, searches
from stillproof.suites.requests import Request, Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

SpaceName = Literal["nas201", "convnet"]
SPACES = {"nas201": nas201_networks, "convnet": convnet_networks}
TRUTH_SEED = 1000  # the truth has other first weights than the search; the same ones alone would make both agree
PUBLISHED_SPACE = ("nas201", "cifar10")  # the space and the data set whose accuracies are published
TITLE = "Architecture search"
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
    "architectures (for the mean of seeds: Student's, over seeds); dropped: architectures without an answer for every "
    "seed, or without a true accuracy."
)
CHOICE_NOTES = (
    "top-1: true accuracy of the chosen architecture; the mean if several share the first place (tied).",
    "time saved: in operations counted for training and testing an architecture, against full, without those that make "
    "the set; per architecture: seconds of one training.",
)
PUBLISHED_NOTE = " They are of 100 architectures and sets of 50 images per class."


def search_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per space, architecture and method, and the truth of each space."""
    for space in suite.search_spaces:
        found = sample(SPACES[space](), suite.architectures, Seeds(0).child("search", space))
        rows = list(_truth_rows(suite, builder, space, found))
        searched = [(FULL, None)] if suite.search_full_recipe else []
        for method, ipc in [*searched, *builder.asked(suite.methods, [suite.search_ipc])]:
            rows += [_search_row(suite, builder, space, architecture, method, ipc) for architecture in found]
        # What is published may not be there, and a search without a truth tells nothing.
        published = rows[0].requests[0] if (space, builder.dataset) == PUBLISHED_SPACE else None
        yield from (dataclasses.replace(row, only_with=published) for row in rows)


def _search_row(
    suite: DCBench, builder: RowBuilder, space: str, architecture: str, method: str, ipc: int | None
) -> Row:
    """Return the row of an architecture that is trained on a set and evaluated on held-out training images."""
    recipe = suite.search_full_recipe if ipc is None else suite.search_recipe
    way = suite.asks.searched(space, architecture, recipe, distilled=ipc is not None)
    requests = [
        builder.trained(builder.images(method, ipc, seed, way.part), way.network, way.recipe, seed, way.heldout)
        for seed in range(suite.search_seeds)
    ]
    keys = {"recipe": way.recipe, "space": space, "architecture": architecture, "selection": "last"}
    return builder.row("search", method, ipc, requests, network=way.network, **keys)


def _truth_rows(suite: DCBench, builder: RowBuilder, space: str, found: list[str]) -> Iterator[Row]:
    if (space, builder.dataset) == PUBLISHED_SPACE:
        request = Request("truth", networks=found, source=suite.truth_source)
        yield builder.row("search-truth", FULL, None, [request], network="", recipe="", space=space, truth="published")
        return
    method, ipc = ("random", suite.truth_ipc) if suite.truth_ipc else (FULL, None)
    for architecture in found:
        requests = [
            builder.trained(builder.images(method, ipc, seed), architecture, suite.truth_recipe, TRUTH_SEED + seed)
            for seed in range(suite.truth_seeds)
        ]
        keys = {"recipe": suite.truth_recipe, "space": space, "truth": "trained", "architecture": architecture}
        yield builder.row("search-truth", method, ipc, requests, network=architecture, **keys)


def search_tables(rows: Rows) -> list[Table]:
    """Return two tables with one line per space and method each."""
    found = searches(rows)
    lines = [_line(search) for search in found]
    shared = [*_truths(found), *_seeds(found), *published_notes(lines, PUBLISHED_NOTE)]
    missing = missing_notes([*rows["search"], *rows.get("search-truth", [])])
    order = [ORDER_NOTE, *shared, *_reasons(found), *missing]
    return [
        Table("search", f"{TITLE}: the order", ORDER, lines, order),
        Table("search-choice", f"{TITLE}: the choice", CHOICE, lines, [*CHOICE_NOTES, *shared, *missing]),
    ]


def _line(search: Searched) -> dict[str, Value]:
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


def search_figures(rows: Rows) -> dict[str, Scatter]:
    """Return one figure per data set and space."""
    groups: dict[tuple[str, str], list[Searched]] = {}
    for search in searches(rows):
        groups.setdefault((search.row["dataset"], search.row["space"]), []).append(search)
    return figures_of("search", groups, lambda found: any(search.proxy for search in found), _figure)


def _figure(found: list[Searched]) -> Scatter:
    asked = Counter(search.row["method"] for search in found)
    panels = [
        Search(_label(search, asked), search.proxy, search.truth, search.agreement, search.published)
        for search in found
    ]
    first = found[0]
    basis = basis_of([search.row for search in found if search.row["ipc"] is not None] or [first.row], "dataset", "ipc")
    seen = f"held-out accuracy: mean over seeds, n = {len(first.row.results)}"
    told = "; ".join((basis.about, f"space {first.row['space']}", seen, f"truth: {first.told}"))
    return Scatter(TITLE, panels, dataclasses.replace(basis, about=told))


def _label(search: Searched, asked: Counter[str]) -> str:
    method = str(search.row["method"])
    return method if asked[method] == 1 else f"{method}: {images(search.row['ipc'])}"


SECTION = Section(
    "search",
    search_rows,
    search_tables,
    search_figures,
    title=TITLE,
    question="Do distilled sets rank architectures as full training does?",
    reading="A correlation of 1 is the true order and 0 is chance; regret is the accuracy lost by choosing so.",
)
