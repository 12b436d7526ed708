"""What the tables and figures of several sections share: columns, which methods stand in one figure, captions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from stillproof.report.answers import Answered
from stillproof.report.captions import CHOSEN_ON, Basis
from stillproof.report.figures.by_group import basis_of
from stillproof.report.published import Published
from stillproof.report.rows import REAL, grouped
from stillproof.report.tables.columns import about
from stillproof.report.tables.table import Column, Difference, Mean, Value
from stillproof.score.stats import Summary
from stillproof.suites.dd_ranking.protocol import dd_ranking_asks
from stillproof.suites.dd_ranking.settings import class_count

LABEL_KIND = Column("label_kind", "own labels", fold="same")
RATE = Column("rate", "learning rate", fold="same")


class AboutRow(Protocol):
    """Whatever was made of rows, one of which says what it is about."""

    @property
    def row(self) -> Answered:
        """Return that row."""


Found = TypeVar("Found", bound=AboutRow)


def points(key: str, title: str) -> Column:
    """Return the column of a difference."""
    return Column(key, f"{title}, points", Difference)


def published_column(key: str, title: str) -> Column:
    """Return the column of what was published of a number; people do not see it where there is nothing."""
    return Column(f"published_{key}", f"published {title}", Published, "empty")


def about_rows(row: Answered, named: Mapping[str, Answered | None]) -> dict[str, Value]:
    """Return what several trainings are about, how their learning rates were found, and how much is missing.

    Args:
        row: The row that says what they are about.
        named: The trainings that a line is made of, by name.
    """
    asked = {name: other for name, other in named.items() if other is not None}
    missing = sum(other.missing for other in asked.values())
    return about(row) | {"label_kind": row["label_kind"], "rate": _rates(asked), "missing": missing}


def without_interval(row: Answered | None) -> Mean | None:
    """Return an accuracy that is shown without its interval."""
    value = None if row is None else row.summary()
    return None if value is None else Mean(value)


def _rates(asked: Mapping[str, Answered]) -> str | None:
    """Say whether learning rates are the recipe's own or searched for; of which training, where they differ."""
    rates = {name: rate for name, row in asked.items() if row["images"] != REAL and (rate := rate_of(row))}
    if len(set(rates.values())) <= 1:
        return next(iter(rates.values()), None)
    return ", ".join(f"{name}: {rate}" for name, rate in rates.items())


def rate_of(row: Answered) -> str | None:
    """Return how the learning rate of a training was found; a search by the test images says so."""
    rate: str | None = row["rate"]
    by_tests = rate == "searched" and not dd_ranking_asks(row["protocol"]).chooses_heldout
    return f"searched on {CHOSEN_ON['oracle']}" if by_tests else rate


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


def chance_of(dataset: str) -> float | None:
    """Return the accuracy of guessing, if the number of classes is known."""
    classes = class_count(dataset)
    return 1 / classes if classes else None
