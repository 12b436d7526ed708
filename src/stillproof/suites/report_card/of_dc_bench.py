"""Sides that DC-Bench sees: accuracy, on the home network and on others, architecture search, and cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from stillproof.report.answers import mean_of_all
from stillproof.report.rows import Rows, Values
from stillproof.report.tables.table import Seconds
from stillproof.score.agreement import Estimate
from stillproof.score.ranking import unseen_mean
from stillproof.suites.dc_bench.search_scores import searches
from stillproof.suites.dc_bench.transfer import Block, blocks
from stillproof.suites.report_card.measured import Measured, Side


def _accuracy(rows: Rows) -> Iterator[Measured]:
    for row in rows["transfer"]:
        if row["network"] == row["home"]:
            yield Measured(row, row.summary(), row.values(), row.cells)


def _transfer(rows: Rows) -> Iterator[Measured]:
    for block in blocks(rows["transfer"]):
        for method, group in block.rows.items() if block.unseen else ():
            seeds = block.by_seed(method, *block.unseen)
            images = next((count for row in group if (count := row.counted())), None)
            known = unseen_mean(seeds, block.home, images) if seeds[block.home] else None
            yield Measured(group[0], known, _means(block, method))


def _means(block: Block, method: str) -> Values:
    """Return the mean over the unseen networks for each seed."""
    by_network = [block.on(method, network) for network in block.unseen]
    return [mean_of_all(seed) for seed in zip(*by_network, strict=False)]


def _search(rows: Rows) -> Iterator[Measured]:
    for search in searches(rows):
        if search.row["ipc"] is not None:
            yield Measured(search.row, search.agreement.spearman if search.proxy else None)


def _cost(rows: Rows) -> Iterator[Measured]:
    for row in rows["cost"]:
        seconds: Sequence[float | None] = row.values("total_seconds")
        known = seconds[0] if seconds else None
        yield Measured(row, None if known is None else Seconds(known))


def _plain_accuracy(rows: Rows) -> Iterator[Measured]:
    for row in rows["accuracy"]:
        yield Measured(row, row.summary(), row.values(), row.cells)


ASKED = partial(Side, suite="dc-bench", better="higher")
SIDES = (
    ASKED("accuracy", "accuracy %", section="transfer", read=_accuracy, about="test accuracy at home"),
    ASKED(
        *("transfer", "unseen networks %"),
        section="transfer",
        read=_transfer,
        about="mean accuracy on other networks",
    ),
    ASKED(
        *("search", "search"),
        section="search",
        read=_search,
        about="how well it ranks architectures (Spearman)",
        holds=Estimate,
    ),
    ASKED(
        *("cost", "time to make"),
        section="cost",
        better="lower",
        read=_cost,
        about="distilling, measured alone; lower is better",
        holds=Seconds,
        radar=False,
    ),
)
# Where DC-Bench was not asked, suite accuracy says the same.
PLAIN = Side("accuracy", "accuracy %", "accuracy", "accuracy", "higher", _plain_accuracy, "test accuracy at home")
