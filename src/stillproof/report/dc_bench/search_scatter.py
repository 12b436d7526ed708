"""Scatters of the accuracy that a search saw and the true one."""

from __future__ import annotations

import dataclasses
from collections import Counter

from matplotlib.figure import Figure

from stillproof.report.dc_bench.figure_parts import basis_of, figure_name
from stillproof.report.dc_bench.rows import Rows, images
from stillproof.report.dc_bench.search_scores import Searched, searches
from stillproof.report.figures.scatter import Scatter, Search, draw_scatter


def search_figures(rows: Rows) -> dict[str, Figure]:
    """Return a figure a data set and space."""
    groups: dict[tuple[str, str], list[Searched]] = {}
    for search in searches(rows):
        groups.setdefault((search.row["dataset"], search.row["space"]), []).append(search)
    return {
        figure_name("search", key if len(groups) > 1 else ()): _draw(found)
        for key, found in groups.items()
        if any(search.proxy for search in found)
    }


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
