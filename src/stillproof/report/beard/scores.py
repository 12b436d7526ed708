"""Robustness ratio, attack efficiency and CREI, by the size of sets and pooled; with all that is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from stillproof.report.beard.alarms import ALARMS, NOTE, alarms_on
from stillproof.report.beard.alphas import alpha_table, draw_alphas
from stillproof.report.beard.assessed import Assessed, assessed
from stillproof.report.beard.columns import CLEAN, DEFENCE, IMAGES, MODE, SIZES, about, bare
from stillproof.report.beard.drawing import by_figure
from stillproof.report.beard.leaderboards import leaderboard_tables
from stillproof.report.beard.published import PUBLISHED_CREI, published_crei
from stillproof.report.beard.single_attacks import single_attack_table
from stillproof.report.beard.sizes import draw_sizes, of_one_size
from stillproof.report.beard.time_notes import time_notes
from stillproof.report.beard.trade_off import draw_trade_off
from stillproof.report.figures.by_group import figures_of
from stillproof.report.rows import Rows, missing_notes
from stillproof.report.tables.beside_published import published_notes
from stillproof.report.tables.columns import DATASET, METHOD, MISSING, NETWORK, RULES_OF_OWN_RECIPES
from stillproof.report.tables.table import Column, Mean, Table, Value
from stillproof.score.stats import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "How much do attacks leave, and what do they cost?"
SCORES = (
    CLEAN,
    Column("under_attack", "mean under attack %", Mean),
    Column("worst", "worst case %", Summary),
    Column("milliseconds", "mean ms per image"),
    Column("rr", "RR", Summary),
    Column("ae", "AE", Mean),
    Column("ae_passes", "AE, passes", Mean),
    Column("crei", "CREI", Summary),
)
COLUMNS = (
    *(DATASET, NETWORK, METHOD, SIZES, DEFENCE, MODE),
    *SCORES,
    *(PUBLISHED_CREI, ALARMS, IMAGES, MISSING),
    *RULES_OF_OWN_RECIPES,
)
NOTES = (
    "RR = 1 - (clean - mean under attack) / (clean - lowest under attack): 0 if every attack does what the worst does. "
    "AE = (mean time of attacks - clean time) / (longest - clean time); in passes: to the first success, with 1 for a "
    "clean prediction, which is the same on every machine. CREI: half of each. All from 0 to 100, seed by seed, by the "
    "published formulas on accuracies; pooled: the mean of clean accuracies, and all attacks of all sizes together. A "
    "seed whose attacks take nothing away has no RR, and an attack that turns no image has no passes to a success: the "
    "means are over the others. Their intervals are Student's, which know nothing of 0 and 100.",
    "RR compares a method with its own worst attack: a model of which every attack leaves nothing has RR 0, and so has "
    "one of which every attack leaves half. Read it beside the worst case, and the curves.",
)


def score_tables(rows: Rows) -> list[Table]:
    """Return the scores, single attacks, CREI over its weight, and the leaderboards."""
    found = assessed(rows["scores"])
    return [
        scores_table("scores", TITLE, found, rows),
        single_attack_table(found, rows),
        alpha_table(found, rows),
        *leaderboard_tables(found, rows),
    ]


def scores_table(name: str, title: str, found: Sequence[Assessed], rows: Rows) -> Table:
    """Return one line per method, size, defence and mode."""
    lines = [_line(one, rows) for one in found]
    behind = list({id(row): row for one in found for row in one.rows()}.values())
    notes = [*NOTES, NOTE, *time_notes(found), *published_notes(lines), *missing_notes(behind)]
    return Table(name, title, COLUMNS, lines, notes)


def score_figures(rows: Rows) -> dict[str, Figure]:
    """Return, for each data set, RR over the size of sets, CREI over its weight, and accuracy against robustness."""
    groups = by_figure(assessed(rows["scores"]))
    sizes, alphas, trade_off = (partial(draw, rows) for draw in (draw_sizes, draw_alphas, draw_trade_off))
    return (
        figures_of("sizes", groups, lambda found: any(one.ratio() for one in of_one_size(found)), sizes)
        | figures_of("alpha", groups, lambda found: any(one.crei() for one in found), alphas)
        | figures_of("trade-off", groups, lambda found: any(one.worst() for one in found), trade_off)
    )


def _line(one: Assessed, rows: Rows) -> dict[str, Value]:
    return about(one.row) | {
        "sizes": one.sizes,
        "clean": one.clean(),
        "under_attack": bare(one.under_attack()),
        "worst": one.worst(),
        "milliseconds": None if (time := one.milliseconds()) is None else f"{time.mean:.3g}",
        "rr": one.ratio(),
        "ae": bare(one.efficiency()),
        "ae_passes": bare(one.efficiency("passes")),
        "crei": one.crei(),
        "published_crei": published_crei(one),
        "alarms": alarms_on(rows, one.rows()),
        "missing": sum(row.missing for row in one.rows()),
    }
