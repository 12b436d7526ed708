"""What a set is worth to networks that it was not distilled with, and whether the order of methods survives there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stillproof.core.seeds import Seeds
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import basis_of, figures_by
from stillproof.report.figures.values import HeatCell, HeatMap
from stillproof.report.rows import (
    Rows,
    Values,
    above,
    common_count,
    complete,
    grouped,
    images,
    missing_notes,
    set_notes,
)
from stillproof.report.section import Section
from stillproof.report.tables.beside_published import DISTANCE, PUBLISHED, beside_published, published_notes
from stillproof.report.tables.columns import ACCURACY, DATASET, HOME, IPC, METHOD, MISSING, NETWORK, RULES, about
from stillproof.report.tables.table import Column, Difference, Table, Value
from stillproof.score.agreement import Estimate
from stillproof.score.ranking import drop, ranking_preserved, unseen_mean
from stillproof.score.stats import Summary, summarise_accuracies
from stillproof.suites.dc_bench.published import WITH_DSA, published_beside
from stillproof.suites.requests import Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

TITLE = "Accuracy on other networks"
DROP = Column("drop", "below home, points", Difference)
COLUMNS = (DATASET, METHOD, IPC, NETWORK, HOME, ACCURACY, DROP, PUBLISHED, DISTANCE, MISSING, *RULES)
DROP_NOTE = "below home: how far below the network that the set was distilled with, seed by seed."
ELSEWHERE_NOTE = "An existing set has the same home, whichever network it was made with."
SUMMARY = (
    *(DATASET, METHOD, IPC, HOME),
    Column("home_accuracy", "home %", Summary),
    Column("unseen", "mean of unseen %", Summary),
    Column("drop", "drop, points", Difference),
    Column("networks", "unseen networks", int, fold="same"),
    *RULES,
)
RANKING = (
    *(DATASET, IPC, HOME, Column("network", "order on")),
    Column("spearman", "Spearman", Estimate),
    Column("kendall", "Kendall", Estimate),
    Column("methods", "methods", int),
    *RULES,
)
MEAN = "mean of unseen"
SUMMARY_NOTE = "unseen: all networks but home; drop: how far their mean is below home, seed by seed."
RANKING_NOTE = (
    "Agreement of the order of methods at home with that on another network; in brackets: 95 % interval, bootstrap "
    "over the seeds of each method."
)


def transfer_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per network and method."""
    recipe = suite.recipe_with("dsa", builder.dataset)
    for method, ipc in builder.asked(suite.methods, suite.ipc):
        for network in suite.network:
            yield builder.accuracy("transfer", method, ipc, recipe, network=network)


def transfer_tables(rows: Rows) -> list[Table]:
    """Return the table of networks, its summary for each method, and how far the order of methods is preserved."""
    found = rows["transfer"]
    lines = [line for group in grouped(found, "dataset", "method", "ipc").values() for line in _lines(group)]
    made_elsewhere = [ELSEWHERE_NOTE] if any(row["set"] for row in found) else []
    notes = [DROP_NOTE, *made_elsewhere, *published_notes(lines, WITH_DSA), *missing_notes(found)]
    table = Table("transfer", TITLE, COLUMNS, lines, notes)
    return [table, _summary_table(found), _ranking_table(found)]


def _lines(group: list[Answered]) -> list[dict[str, Value]]:
    home = next((row for row in group if row["network"] == row["home"]), None)
    lines = []
    for row in group:
        below = above(home, row) if home is not None and row is not home else None
        lines.append(about(row) | beside_published(row, published_beside(row)) | {"home": row["home"], "drop": below})
    return lines


@dataclass(frozen=True, slots=True)
class Block:
    """All methods on all networks with the same images per class; ``silent`` networks have no answer at all."""

    home: str
    rows: Mapping[str, Sequence[Answered]]  # by method
    unseen: Sequence[str]
    silent: Sequence[str]

    def on(self, method: str, network: str) -> Values:
        """Return the accuracies of a method on a network, one per seed."""
        return next((row.values() for row in self.rows[method] if row["network"] == network), [])

    def by_seed(self, method: str, *others: str) -> dict[str, list[float]]:
        """Return the accuracies at home and on other networks, of the seeds that have all of them."""
        networks = (self.home, *others)
        seeds = complete(*(self.on(method, network) for network in networks))
        return {network: [seed[place] for seed in seeds] for place, network in enumerate(networks)}


def _summary_table(rows: Sequence[Answered]) -> Table:
    """Return one line per method, over the seeds that have an answer on every network."""
    lines: list[dict[str, Value]] = []
    notes = [SUMMARY_NOTE, *set_notes(rows)]
    for block in blocks(rows):
        for method, group in block.rows.items():
            seeds = block.by_seed(method, *block.unseen)
            line = about(group[0]) | {"home": block.home, "networks": len(block.unseen)}
            counted = common_count(group)
            whose = f"{method}, {images(group[0]['ipc'])}"
            if not seeds[block.home]:
                notes.append(f"No mean of {whose}: no seed has an answer on every network.")
            elif block.unseen:
                line |= {"unseen": unseen_mean(seeds, block.home, counted)}
                line |= {"drop": Difference(drop(seeds, block.home, counted))}
            if seeds[block.home]:
                line |= {"home_accuracy": summarise_accuracies(seeds[block.home], counted)}
            lines.append(line)
    return Table("transfer-summary", "Accuracy on unseen networks", SUMMARY, lines, notes + _left_out(rows))


def _ranking_table(rows: Sequence[Answered]) -> Table:
    """Return one line per unseen network, and one for the mean of them."""
    lines: list[dict[str, Value]] = []
    notes = [RANKING_NOTE]
    for block in blocks(rows):
        first = next(iter(block.rows.values()))[0]
        for name, networks in [*((one, [one]) for one in block.unseen), (MEAN, block.unseen)]:
            if not networks:
                continue
            tables = {method: block.by_seed(method, *networks) for method in block.rows}
            known = {method: table for method, table in tables.items() if table[block.home]}
            line = about(first) | {"home": block.home, "network": name, "methods": len(known)}
            if known:
                home = {method: table[block.home] for method, table in known.items()}
                other = {method: _means([table[one] for one in networks]) for method, table in known.items()}
                seeds = Seeds(0).child("transfer", str(first["dataset"]), name)
                agreement = ranking_preserved(home, other, seeds)
                line |= {"spearman": agreement.spearman, "kendall": agreement.kendall}
                notes += [f"Order on {name}, {images(first['ipc'])}: {agreement.spearman.reason}."] * bool(
                    agreement.spearman.reason
                )
            lines.append(line)
    return Table("transfer-ranking", "Is the order of methods preserved?", RANKING, lines, notes + _left_out(rows))


def blocks(rows: Sequence[Answered]) -> Iterator[Block]:
    """Yield the methods of each data set and number of images per class."""
    for group in grouped(rows, "dataset", "ipc").values():
        home = str(group[0]["home"])
        by_network = grouped(group, "network")
        silent = [name for (name,), found in by_network.items() if all(row.summary() is None for row in found)]
        unseen = [name for (name,) in by_network if name != home and name not in silent]
        yield Block(home, {method: found for (method,), found in grouped(group, "method").items()}, unseen, silent)


def _left_out(rows: Sequence[Answered]) -> list[str]:
    silent = sorted({name for block in blocks(rows) for name in block.silent if name != block.home})
    return [f"Left out, since no method has an answer there: {', '.join(silent)}."] if silent else []


def _means(columns: Sequence[Sequence[float]]) -> list[float]:
    return [math.fsum(seed) / len(seed) for seed in zip(*columns, strict=True)]


def transfer_figures(rows: Rows) -> dict[str, HeatMap]:
    """Return one figure per data set and number of images per class."""
    return figures_by("transfer", grouped(rows.get("transfer", []), "dataset", "ipc"), _figure)


def _figure(rows: list[Answered]) -> HeatMap:
    cells = [HeatCell(row["method"], row["network"], row.summary(), published_beside(row)) for row in rows]
    title = f"{TITLE}, {images(rows[0]['ipc'])}"
    return HeatMap(title, cells, basis_of(rows, "dataset", "ipc"), "method", "network", rows[0]["home"])


SECTION = Section(
    "transfer",
    transfer_rows,
    transfer_tables,
    transfer_figures,
    title=TITLE,
    question="What is a set worth on networks that it was not made with?",
    reading="A small drop below home is good; a correlation of 1 means that methods come in the same order there.",
)
