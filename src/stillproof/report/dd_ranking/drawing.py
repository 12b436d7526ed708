"""What the figures of dd-ranking share: which methods stand in one figure, and what holds for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

from stillproof.report.answers import Answered
from stillproof.report.captions import Basis
from stillproof.report.dd_ranking.columns import rate_of
from stillproof.report.figures.by_group import basis_of
from stillproof.report.rows import REAL, grouped
from stillproof.report.tables.table import Difference
from stillproof.score.stats import Summary


class AboutRow(Protocol):
    """Whatever was made of rows, one of which says what it is about."""

    @property
    def row(self) -> Answered:
        """Return that row."""


Found = TypeVar("Found", bound=AboutRow)


def by_figure(found: Iterable[Found]) -> dict[tuple[Any, ...], list[Found]]:
    """Return what stands in one figure: all of a data set, by network only where a method has several of them."""
    found = list(found)
    sets = grouped((one.row for one in found), "dataset", "method", "ipc").values()
    keys = ("dataset", "network") if any(len(rows) > 1 for rows in sets) else ("dataset",)
    groups: dict[tuple[Any, ...], list[Found]] = {}
    for one in found:
        groups.setdefault(tuple(one.row[key] for key in keys), []).append(one)
    return groups


def mean_of(difference: Difference | None) -> Summary | None:
    """Return what a figure shows of a difference."""
    return None if difference is None else difference.summary


def basis_for(rows: Sequence[Answered], *keys: str) -> Basis:
    """Return what holds for all rows but those of real images; networks that methods have of their own are named."""
    rows = [row for row in rows if row["images"] != REAL]
    basis = basis_of(rows, *(keys or ("dataset", "network")))
    rates = list(dict.fromkeys(rate for row in rows if (rate := rate_of(row))))
    basis = dataclasses.replace(basis, about="; ".join((basis.about, *(f"learning rate {rate}" for rate in rates))))
    networks = {network: group for (network,), group in grouped(rows, "network").items()}
    if len(networks) == 1 or keys:
        return basis
    told = [f"{name} ({', '.join(dict.fromkeys(row['method'] for row in group))})" for name, group in networks.items()]
    return dataclasses.replace(basis, about=f"{basis.about}; networks: {', '.join(told)}")
