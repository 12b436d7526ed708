"""Architecture search: how well a small set orders architectures, what it would have chosen, and what it saves."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillproof.report.dc_bench.search_columns import CHOICE, ORDER, search_line
from stillproof.report.dc_bench.search_scores import Searched, searches
from stillproof.report.figures.by_group import basis_of, figures_of
from stillproof.report.figures.scatter import Scatter, Search, draw_scatter
from stillproof.report.rows import Rows, images, missing_notes
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def search_tables(rows: Rows) -> list[Table]:
    """Return two tables with one line per space and method each."""
    found = searches(rows)
    lines = [search_line(search) for search in found]
    shared = [*_truths(found), *_seeds(found), *published_notes(lines, PUBLISHED_NOTE)]
    missing = missing_notes([*rows["search"], *rows.get("search-truth", [])])
    order = [ORDER_NOTE, *shared, *_reasons(found), *missing]
    return [
        Table("search", "Architecture search: the order", ORDER, lines, order),
        Table("search-choice", "Architecture search: the choice", CHOICE, lines, [*CHOICE_NOTES, *shared, *missing]),
    ]


def search_figures(rows: Rows) -> dict[str, Figure]:
    """Return one figure per data set and space."""
    groups: dict[tuple[str, str], list[Searched]] = {}
    for search in searches(rows):
        groups.setdefault((search.row["dataset"], search.row["space"]), []).append(search)
    return figures_of("search", groups, lambda found: any(search.proxy for search in found), _draw)


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


def _draw(found: list[Searched]) -> Figure:
    asked = Counter(search.row["method"] for search in found)
    panels = [
        Search(_label(search, asked), search.proxy, search.truth, search.agreement, search.published)
        for search in found
    ]
    first = found[0]
    basis = basis_of([search.row for search in found if search.row["ipc"] is not None] or [first.row], "dataset", "ipc")
    seen = f"held-out accuracy: mean over seeds, n = {len(first.row.results)}"
    about = "; ".join((basis.about, f"space {first.row['space']}", seen, f"truth: {first.told}"))
    return draw_scatter(Scatter("Architecture search", panels, dataclasses.replace(basis, about=about)))


def _label(search: Searched, asked: Counter[str]) -> str:
    method = str(search.row["method"])
    return method if asked[method] == 1 else f"{method}: {images(search.row['ipc'])}"
